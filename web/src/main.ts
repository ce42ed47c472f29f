import { mount } from 'svelte';
import App from './App.svelte';
import './style/base.css';

const target = document.getElementById('page');
if (target === null) throw new Error('The page has no element “page”.');
mount(App, { target });
