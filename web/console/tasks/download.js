// Saves what the page holds as a file.

/** @param {string} name
 * @param {string} text */
export function saveText(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has taken the blob by the next task at the earliest.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
