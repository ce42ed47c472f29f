/** The replay that is a single file: the record lies in the page, and nothing is fetched. */
import { mount } from 'svelte';
import { readFile } from './record/file';
import Replay from './replay/Replay.svelte';
import { displayName } from './ui/names';
import './style/base.css';

const target = document.getElementById('page');
const source = document.getElementById('record');
if (target === null || source === null) throw new Error('This replay file is incomplete.');
const tracks = readFile(source.textContent);
const [first] = tracks;
// The file's own title has the seat's name as it is stored.
if (first?.chair.seat != null && !first.chair.full)
    document.title = `${first.title}: ${displayName(first.chair.seat)}’s view`;
mount(Replay, { target, props: { records: tracks } });
