import { mount } from 'svelte';
import App from './App.svelte';
import './style/base.css';

const target = document.getElementById('page');
if (target === null) throw new Error('the page has no place to stand');
mount(App, { target });
