// The style sheet of the screens of tasks, loaded with the first of them and before it is drawn.
import { base } from '../router.js';

const sheet = document.createElement('link');
sheet.rel = 'stylesheet';
sheet.href = `${base}tasks/tasks.css`;
const loaded = new Promise((resolve) => {
  sheet.onload = resolve;
  sheet.onerror = resolve;
});
// Before what is meant for narrow pages, which has the last word.
document.head.append(sheet);
await loaded;
