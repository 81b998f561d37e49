// Pictures of screens: node pictures.mjs ADDRESS FOLDER '{"name": "path", …}'
import process from 'node:process';
import { launch, open, show } from './browser.mjs';

const [base, folder, screens] = process.argv.slice(2);
const browser = await launch();
for (const dark of [false, true]) {
  const { page, close } = await open(browser, { dark });
  for (const [name, path] of Object.entries(JSON.parse(screens))) {
    await show(page, new URL(path, base).href);
    await page.waitForTimeout(500);  // plots are drawn behind the data
    await page.screenshot({ path: `${folder}/${name}${dark ? '_dark' : ''}.png` });
  }
  await close();
}
await browser.close();
