import './tokens.css';
import './components.css';
import './console.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { session } from './lib/session.svelte';

// A part of the console that cannot be fetched is that of an earlier version, or the connection is gone: the page that
// wanted it says which.
addEventListener('vite:preloadError', () => void session.look());

const target = document.getElementById('app');
if (target) mount(App, { target });
