/** The replay that is a single file: the record lies in the page, and nothing is fetched. */
import { mount } from 'svelte';
import { readFile } from './record/file';
import Replay from './replay/Replay.svelte';
import './style/base.css';

const target = document.getElementById('page');
const source = document.getElementById('record');
if (target === null || source === null) throw new Error('the file is not whole');
const tracks = readFile(source.textContent);
mount(Replay, { target, props: { records: [...tracks.values()] } });
