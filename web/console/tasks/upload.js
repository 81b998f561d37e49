// Uploads a file of a batch, with its progress: fetch does not tell any.

import { ApiError, fromJson, signedOut, urlOf } from '../api.js';

/** @param {File} file
 * @param {(share: number) => void} onShare 0 to 1
 * @returns {Promise<{ id: string }>} */
export function upload(file, onShare) {
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', file, file.name || 'batch.jsonl');
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', urlOf('v1/files'));
    request.upload.onprogress = ({ loaded, total }) => onShare(total ? loaded / total : 0);
    request.onerror = () => reject(new ApiError(0, { message: 'The server does not answer.' }));
    request.onload = () => {
      if (request.status === 401) signedOut.set(signedOut.get() + 1);
      /** @type {any} */
      let answer = null;
      try {
        answer = fromJson(request.responseText);
      } catch {
        // not JSON: the status says enough
      }
      if (request.status < 300 && answer) resolve(answer);
      else reject(new ApiError(request.status, answer?.error ?? {}));
    };
    request.send(form);
  });
}
