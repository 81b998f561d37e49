// What people do in the console: node scenarios.mjs BROWSER SCENARIO FACTS. BROWSER is the address
// of browser_server.mjs; FACTS is JSON: the console's address, keys, and ids of tasks, jobs and
// batches that are there.
import assert from 'node:assert/strict';
import { ask, connect, open, overflow, seriousFaults, settled, show, signIn, tellWhatIsShown }
  from './browser.mjs';

const [address, scenario, json] = process.argv.slice(2);
const facts = JSON.parse(json);
const { base, keys } = facts;
const screens = ['models', 'models/chat', 'models/chat?view=settings', 'models/chat?view=revisions',
  'tasks', `tasks/${facts.solved}`, `tasks/${facts.failed}`, `tasks/${facts.waiting}`,
  'dead-letters', 'jobs', `jobs/${facts.job}`, 'batches', `batches/${facts.batch}`,
  'batches?view=messages', `batches/${facts.messages}`, 'submit', 'spend', 'spend?by=key', 'routes',
  'routes/smart', 'tenants', 'tenants/t', 'system', 'system?view=revisions', 'system?view=audit',
  'budgets', 'budgets/b', 'budgets/b?view=settings', 'keys'];

/** Presses the button of a dialog, and waits until the dialog is gone. */
async function confirm(page, name) {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** The status of the task that the page shows, once it is this one. */
function heading(page, status) {
  return page.locator('h1 .badge', { hasText: new RegExp(`^${status}$`) }).waitFor();
}

/** A key with the scope submit alone sees a form, and asks for nothing that it may not read. */
async function submitsAlone(browser, key) {
  const { page, close } = await open(browser);
  const isKnown = async () => (await page.request.get(new URL('../v1/tasks', base).href,
    { headers: { Authorization: `Bearer ${key}` } })).status() !== 401;
  while (!await isKnown()) await page.waitForTimeout(100);
  await signIn(page, base, key);
  await page.getByRole('textbox', { name: 'Model or route' }).waitFor();
  await close();
}

/** What axe says of each screen. In the dark only colours differ. */
async function hasNoSeriousFault(browser, dark) {
  const { page, close } = await open(browser, { dark, isChecked: true });
  await signIn(page, base, keys.admin);
  for (const path of screens) {
    await show(page, base + path);
    assert.deepEqual(await seriousFaults(page, dark ? { runOnly: ['color-contrast'] } : {}), [],
      path);
  }
  await close();
}

const scenarios = {
  async signs_in_and_out(browser) {
    const { page, close } = await open(browser, { expects: [/401/] });
    await page.goto(`${base}tasks?status=failed`);
    await page.getByLabel('API key').fill(`${keys.admin.slice(0, -1)}${
      keys.admin.endsWith('0') ? '1' : '0'}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.field-error').waitFor();
    await page.getByLabel('API key').fill(keys.admin);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    assert.equal(new URL(page.url()).search, '?status=failed');
    const [cookie] = await page.context().cookies();
    assert.equal(cookie.httpOnly, true);
    assert.equal(cookie.sameSite, 'Strict');
    assert.equal(await page.evaluate(() => document.cookie), '');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    await page.reload();
    await page.getByLabel('API key').waitFor();
    await close();
  },

  async shows_every_screen(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    for (const path of screens) await show(page, base + path);
    await close();
  },

  async fits_a_narrow_page(browser) {
    const { page, close } = await open(browser, { width: 375 });
    await signIn(page, base, keys.admin);
    for (const path of screens) {
      await show(page, base + path);
      assert.equal(await overflow(page), 0, `${path} can be scrolled sideways`);
    }
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Dead letters' }).click();
    await page.getByRole('heading', { level: 1, name: 'Dead letters' }).waitFor();
    await close();
  },

  has_no_serious_fault_in_light: (browser) => hasNoSeriousFault(browser, false),
  has_no_serious_fault_in_dark: (browser) => hasNoSeriousFault(browser, true),

  async is_dark_where_that_is_wished(browser) {
    const { page, close } = await open(browser, { dark: true });
    await signIn(page, base, keys.admin);
    const brightness = () => page.evaluate(() => {
      const rgb = getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g);
      return Math.max(...rgb.slice(0, 3).map(Number));
    });
    assert(await brightness() < 64);
    await page.getByLabel('Theme').selectOption('light');
    await page.waitForFunction(() => getComputedStyle(document.documentElement).backgroundColor
      .match(/\d+/g).slice(0, 3).every((one) => Number(one) > 192));
    await page.reload();
    await settled(page);
    assert(await brightness() > 192);
    await close();
  },

  async is_driven_by_keys_alone(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await settled(page);
    const title = (name) => page.getByRole('heading', { level: 1, name }).waitFor();
    const press = async (...names) => {
      for (const name of names) await page.keyboard.press(name);
    };
    await press('g', 'd');
    await title('Dead letters');
    await press('g', 't');
    await title('Tasks');
    await settled(page);
    await press('j', 'j', 'k');
    const row = await page.evaluate(() => document.activeElement.textContent);
    await press('Enter');
    await page.waitForURL(`**/tasks/${row}`);
    await title(new RegExp(`^Task ${row}`));
    await page.goBack();
    await title('Tasks');
    await press('/');
    await page.keyboard.type(String(facts.solved));
    await press('Enter');
    await title(new RegExp(`^Task ${facts.solved}`));
    await press('?');
    await page.getByRole('dialog').waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press('g', 'm');
    await title('Models');
    await close();
  },

  async cancels_and_redrives_a_task(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await show(page, `${base}tasks/${facts.waiting}`);
    await page.getByText('paused').first().waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await confirm(page, 'Cancel the task');
    await heading(page, 'cancelled');
    await page.getByRole('button', { name: 'Redrive', exact: true }).click();
    await confirm(page, 'Redrive');
    await heading(page, 'queued');
    await page.getByRole('list', { name: 'What happened to the task' }).getByText('Redriven')
      .waitFor();
    await close();
  },

  async shows_texts_only_when_asked(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await show(page, `${base}tasks/${facts.hostile}`);
    assert(!(await page.locator('main').innerText()).includes(facts.secret));
    await page.getByRole('button', { name: 'Show the texts' }).click();
    const prompt = page.getByRole('region', { name: 'Prompt' });
    await prompt.waitFor();
    assert.equal(await prompt.innerText(), facts.hostile_prompt);
    assert.equal(await page.evaluate(() => window.wasRun), undefined);
    const [download] = await Promise.all([page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download prompt' }).click()]);
    assert.equal(download.suggestedFilename(), `task-${facts.hostile}-prompt.txt`);
    await page.getByRole('button', { name: 'Copy prompt' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await close();
  },

  async forgets_chosen_tasks(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await show(page, `${base}tasks?status=solved&metadata_key=run&metadata_value=forget`);
    await page.getByLabel('Choose all on this page').check();
    const chosen = page.getByRole('group', { name: 'Chosen tasks' });
    await chosen.getByRole('button', { name: 'Forget…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Forget (all, about )?2 tasks$/ }).click();
    await dialog.getByText('2 tasks forgotten.').waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await chosen.waitFor({ state: 'detached' });
    await close();
  },

  async prioritises_chosen_tasks_and_undoes_it(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    const list = `${base}tasks?model=paused&status=queued&tenant=mover`;
    await show(page, list);
    for (const row of [0, 1]) {
      await page.getByRole('checkbox', { name: /^Choose task/ }).nth(row).check();
    }
    await page.getByRole('group', { name: 'Chosen tasks' })
      .getByRole('button', { name: 'Prioritise…' }).click();
    const dialog = page.getByRole('dialog');
    assert.deepEqual(await seriousFaults(page), []);
    await dialog.getByLabel('Priority').fill('9');
    await dialog.getByRole('button', { name: /^Prioritise (all, about )?2 tasks$/ }).click();
    await dialog.getByText('2 tasks changed.').waitFor();
    await dialog.getByRole('link', { name: 'Open the job' }).click();
    await page.locator('dd a.id').nth(1).waitFor();
    assert.equal(await page.locator('dd a.id').count(), 2);
    await page.getByRole('button', { name: 'Undo' }).click();
    await confirm(page, 'Undo');
    await page.locator('h1 .badge', { hasText: 'undone' }).waitFor();
    await show(page, `${list}&priority=9`);
    await page.getByText('No task meets the filters').waitFor();
    await close();
  },

  async redrives_a_task_to_another_model(browser) {
    const { page, close } = await open(browser, { width: 375, dark: true });
    await signIn(page, base, keys.admin);
    await show(page, `${base}tasks/${facts.failed}`);
    await page.getByRole('button', { name: 'Redrive to another model…' }).click();
    const dialog = page.getByRole('dialog');
    const go = dialog.getByRole('button', { name: /^Redrive/ });
    assert(await go.isDisabled(), 'it must be told which one');
    await dialog.getByLabel('To the model or route').selectOption('chat');
    await go.click();
    await dialog.getByText('1 task redriven.').waitFor();
    assert.equal(await overflow(page), 0);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await heading(page, 'solved');
    await page.getByRole('link', { name: 'chat', exact: true }).waitFor();
    await close();
  },

  async shows_what_each_key_spent(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await show(page, `${base}spend?by=key&range=24h`);
    await page.getByRole('row').filter({ hasText: 'admin' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'without a key' }).waitFor();
    await page.getByText(/^No price is set for /).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click()]);
    assert.equal(download.suggestedFilename(), 'sluice-spend.csv');
    await close();
  },

  async shows_what_doctor_finds(browser) {
    const { page, close } = await open(browser, { isChecked: true });
    await signIn(page, base, keys.admin);
    await show(page, `${base}system`);
    await page.getByText('Way out:').first().waitFor();
    const finding = page.getByRole('listitem').filter({ hasText: 'the backend of model away' });
    await finding.getByRole('link', { name: 'its settings' }).waitFor();
    await finding.getByRole('link', { name: 'away', exact: true }).waitFor();
    assert.deepEqual(await seriousFaults(page), []);
    await close();
  },

  async shows_message_batches(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await show(page, `${base}batches`);
    await page.getByRole('link', { name: /Anthropic/ }).click();
    await page.getByRole('link', { name: facts.messages }).click();
    await heading(page, 'in progress');
    await page.getByText('1 / 3').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await confirm(page, 'Cancel the batch');
    await heading(page, 'cancelled');
    await page.getByRole('heading', { name: 'Failed lines' }).waitFor();
    await page.getByRole('rowheader', { name: 'refused', exact: true }).waitFor();
    await page.getByText('The batch was cancelled before.').first().waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download results' }).click()]);
    assert.equal(download.suggestedFilename(), `${facts.messages}.jsonl`);
    await close();
  },

  async redrives_a_group(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await show(page, `${base}dead-letters?model=refuses`);
    assert.equal(await page.locator('tbody tr').count(), 1);
    await page.getByRole('button', { name: /^Redrive all of/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Redrive (all, about )?3 tasks$/ }).click();
    await dialog.getByText('3 tasks redriven.').waitFor();
    await dialog.getByRole('link', { name: 'Open the job' }).click();
    await page.locator('h1 .badge', { hasText: 'done' }).waitFor();
    await page.getByText('refuses', { exact: true }).waitFor();
    await close();
  },

  async moves_what_matches_and_undoes_it(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await show(page, `${base}tasks?model=paused&status=queued&tenant=mover`);
    await page.getByRole('button', { name: 'Move…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('To the model or route').selectOption('resting');
    await dialog.getByRole('button', { name: /^Move (all, about )?3 tasks$/ }).click();
    await dialog.getByText('3 tasks moved.').waitFor();
    await dialog.getByRole('link', { name: 'Open the job' }).click();
    await page.getByRole('link', { name: 'Find them among the tasks' }).click();
    await page.waitForURL(/tasks\?.*model=resting/);
    await page.locator('tbody tr').nth(2).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Undo' }).click();
    await confirm(page, 'Undo');
    await page.locator('h1 .badge', { hasText: 'undone' }).waitFor();
    await show(page, `${base}tasks?model=paused&status=queued&tenant=mover`);
    assert.equal(await page.locator('tbody tr').count(), 3);
    await close();
  },

  async pauses_and_resumes_a_model(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await show(page, `${base}models/chat`);
    await page.getByRole('button', { name: 'Pause chat' }).click();
    await confirm(page, 'Pause');
    await heading(page, 'paused');
    await page.getByRole('button', { name: 'Resume chat' }).click();
    await confirm(page, 'Resume');
    await page.locator('h1 .badge').waitFor({ state: 'detached' });
    await close();
  },

  async edits_a_setting_and_reverts_it(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await show(page, `${base}models/chat?view=settings`);
    const save = async (name, value) => {
      await show(page, `${base}models/chat?view=settings`);
      await page.getByLabel(name, { exact: true }).fill(value);
      await page.getByRole('button', { name: 'Review and save' }).click();
    };
    const change = (name, now, then) => page.getByRole('dialog').getByRole('row',
      { name: `${name} ${now} ${then}`, exact: true }).waitFor();
    const revert = async (row) => {
      await show(page, `${base}models/chat?view=revisions`);
      await page.locator('.revision').nth(row).getByRole('button', { name: /^Revert/ }).click();
    };
    await save('tpm', '999');
    await change('tpm', 'no limit', '999');
    await confirm(page, 'Save');
    for (const value of ['123', '45']) {
      await save('rpm', value);
      await confirm(page, 'Save');
    }
    await show(page, `${base}models/chat?view=revisions`);
    await page.locator('.revision').first().getByText('key admin, you').waitFor();
    // The older of two changes: now it is 45, and that goes, too.
    await revert(1);
    await change('rpm', '45', '6000');
    await page.getByRole('dialog').getByText('Changed again since: rpm').waitFor();
    await confirm(page, 'Revert anyway');
    await page.locator('.revision').first().getByText(/takes back/).waitFor();
    await show(page, `${base}models/chat?view=settings`);
    assert.equal(await page.getByLabel('rpm', { exact: true }).inputValue(), '6000');
    await revert(0);
    await change('rpm', '6000', '45');
    await confirm(page, 'Revert');
    await show(page, `${base}models/chat?view=settings`);
    await page.evaluate(() => scrollTo(0, 250));
    await page.getByRole('link', { name: 'Revisions' }).dispatchEvent('click');  // no scrolling
    await page.locator('.revision').first().waitFor();
    assert.equal(await page.evaluate(() => scrollY), 0);
    await page.goBack();
    await page.waitForFunction(() => scrollY === 250);
    await close();
  },

  async makes_a_budget_and_edits_it(browser) {
    const { page, close } = await open(browser, { expects: [/404/] });  // once it is deleted
    await signIn(page, base, keys.admin);
    await show(page, `${base}budgets`);
    await page.getByRole('row', { name: /^b .*0\.25 \/ 1/ }).waitFor();
    await page.getByRole('button', { name: 'New budget' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('of tenant');
    await dialog.getByLabel('Of', { exact: true }).selectOption('tenant');
    await dialog.getByLabel('Subject').fill('t');
    await dialog.getByLabel('Limit').fill('12.5');
    await confirm(page, 'Make it');
    await page.getByRole('heading', { level: 1, name: 'of tenant' }).waitFor();
    await show(page, `${base}budgets/of%20tenant?view=settings`);
    await page.getByLabel('limit', { exact: true }).fill('7.000000001');
    await page.getByLabel('marks').fill('50\n90');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await confirm(page, 'Save');
    const { limit_nanos: limit, marks } = await (await page.request.get(
      new URL('v1/budgets/of%20tenant', base).href)).json();
    assert.deepEqual([limit, marks], [7_000_000_001, [50, 90]]);
    await show(page, `${base}budgets/of%20tenant?view=revisions`);
    await page.locator('.revision').first().getByRole('button', { name: /^Revert/ }).click();
    await confirm(page, 'Revert');
    await show(page, `${base}budgets/of%20tenant?view=settings`);
    assert.equal(await page.getByLabel('limit', { exact: true }).inputValue(), '12.5');
    await page.getByRole('button', { name: 'Delete it…' }).click();
    await confirm(page, 'Delete it');
    await page.getByRole('heading', { level: 1, name: 'Budgets' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'of tenant' }).count(), 0);
    await close();
  },

  async makes_and_revokes_a_key(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await show(page, `${base}keys`);
    await page.getByRole('button', { name: /^New key/ }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('of a test');
    await page.getByRole('dialog').getByLabel('read').uncheck();
    await page.getByRole('button', { name: 'Make it' }).dblclick();
    const secret = await page.locator('.secret code').innerText();
    assert.match(secret, /^sluice_[0-9a-f]{16}_/);
    for (const name of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(name);
    await page.mouse.click(5, 5);
    await confirm(page, 'I have kept it');
    await submitsAlone(browser, secret);
    const row = page.locator('tr', { hasText: 'of a test' });
    assert.equal(await row.count(), 1);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: /^Revoke/ }).click();
    await row.getByRole('button', { name: /^Revoke/ }).waitFor({ state: 'detached' });
    await close();
  },

  async asks_for_a_model_where_there_is_no_default(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await page.getByRole('link', { name: 'Submit a task' }).click();
    await page.getByRole('option', { name: 'choose…' }).waitFor({ state: 'attached' });
    await page.getByLabel('Prompt', { exact: true }).fill('2+2?');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    const fault = page.getByText('Choose one: there is no default model.');
    await fault.waitFor();
    await page.getByLabel('Model or route').selectOption('chat');
    await fault.waitFor({ state: 'detached' });
    await close();
  },

  async submits_a_task_and_sees_its_life(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await page.getByRole('link', { name: 'Submit a task' }).click();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByText('There is nothing to send yet.').waitFor();
    const sent = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('v1/tasks')) sent.push(request);
    });
    await page.getByLabel('Prompt', { exact: true }).fill('2+2?');
    await page.getByLabel('Model or route').selectOption('chat');
    await page.getByText('More: priority').click();
    await page.getByLabel('Metadata').fill('{"from": "the browser"}');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByText('The model has answered.').waitFor();
    await page.getByRole('button', { name: 'Show the texts' }).click();
    assert.notEqual(await page.getByRole('region', { name: 'Answer' }).innerText(), '');
    await page.getByLabel('Model or route').selectOption('paused');
    await page.getByRole('textbox', { name: 'Prompt' }).focus();
    await page.keyboard.down('Control');
    for (let held = 0; held < 10; held += 1) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.keyboard.up('Control');
    await page.getByText('Somebody paused the model').waitFor();
    assert.equal(sent.length, 2);
    await close();
  },

  async uploads_a_batch(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.admin);
    await show(page, `${base}batches`);
    const line = (id, model) => `${JSON.stringify({ custom_id: id, method: 'POST',
      url: '/v1/chat/completions',
      body: { model, messages: [{ role: 'user', content: id }] } })}\n`;
    const send = async (text) => {
      await show(page, `${base}batches`);
      await page.getByRole('button', { name: 'New batch' }).click();
      await page.getByLabel('File of lines').setInputFiles({ name: 'in.jsonl',
        mimeType: 'application/jsonl', buffer: Buffer.from(text) });
      await page.getByRole('button', { name: 'Upload and begin' }).click();
      await page.waitForURL('**/batches/batch_*');
    };
    await send(line('a', 'chat') + line('b', 'refuses'));
    await heading(page, 'completed');
    await page.getByRole('heading', { name: 'Failed lines' }).waitFor();
    await page.getByRole('rowheader', { name: 'b' }).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download answers' }).click()]);
    assert.match(download.suggestedFilename(), /^file-\d+\.jsonl$/);
    await send(`${line('a', 'chat')}no JSON\n`);
    await heading(page, 'failed');
    await page.getByRole('heading', { name: 'Wrong lines' }).waitFor();
    await page.getByText('invalid_json_line').waitFor();
    await close();
  },

  async shows_no_button_to_a_key_that_reads(browser) {
    const { page, close } = await open(browser);
    await signIn(page, base, keys.reader);
    assert.equal(await page.getByRole('link', { name: 'Submit a task' }).count(), 0);
    const change = new RegExp(`^(${['Cancel', 'Redrive', 'Forget', 'Move', 'Prioritise', 'Pause',
      'Resume', 'Close…', 'Close until', 'New', 'Make', 'Revoke', 'Stop', 'Undo', 'Revert', 'Save',
      'Delete', 'Submit', 'Send'].join('|')})`);
    for (const path of ['models', 'models/chat', 'tasks', `tasks/${facts.solved}`,
      `tasks/${facts.failed}`, 'dead-letters', 'jobs', `jobs/${facts.job}`, 'batches',
      `batches/${facts.batch}`, 'spend', 'system']) {
      await show(page, base + path);
      assert.deepEqual(await page.locator('main').getByRole('button', { name: change })
        .allInnerTexts(), [], path);
    }
    await page.goto(`${base}keys`);
    await page.getByText('This key may not see this').waitFor();
    await close();
  },

  async shows_a_tenant_its_own(browser) {
    const { page, close } = await open(browser, { expects: [/404/] });
    await signIn(page, base, keys.tenant);
    const nav = page.getByRole('navigation', { name: 'Screens' });
    assert.equal(await nav.getByRole('link', { name: 'Tasks' }).count(), 1);
    for (const name of ['Models', 'Tenants', 'Keys', 'System', 'Routes']) {
      assert.equal(await nav.getByRole('link', { name }).count(), 0, name);
    }
    await show(page, `${base}tasks`);
    assert.deepEqual(await page.locator('tbody th').allInnerTexts(), [String(facts.tenants)]);
    await page.goto(`${base}tasks/${facts.solved}`);
    await page.getByText(`There is no task ${facts.solved}.`).waitFor();
    await show(page, `${base}dead-letters`);
    await page.getByText('Nothing has failed for good').waitFor();
    await show(page, `${base}tasks/${facts.tenants}`);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await confirm(page, 'Cancel the task');
    await heading(page, 'cancelled');
    await close();
  },

  async works_below_a_path_of_a_proxy(browser) {
    const { page, close } = await open(browser);
    const root = new URL(base).pathname;
    const strays = [];
    page.on('request', (request) => {
      const { pathname, protocol } = new URL(request.url());
      if (protocol === 'http:' && !pathname.startsWith(root)) strays.push(pathname);
    });
    await signIn(page, base, keys.admin);
    const [cookie] = await page.context().cookies();
    assert(cookie.path.startsWith(root.replace(/\/$/, '')), `for ${cookie.path}`);
    for (const path of screens) await show(page, base + path);
    await show(page, `${base}models/chat`);
    await page.route('**/v1/overview', () => {});  // what follows only the stream can tell
    await ask('pause');
    await heading(page, 'paused');
    await ask('resume');
    await page.locator('h1 .badge').waitFor({ state: 'detached' });
    await page.unroute('**/v1/overview');
    await page.getByRole('link', { name: 'Dead letters' }).click();
    await page.getByRole('heading', { level: 1, name: 'Dead letters' }).waitFor();
    await page.reload();
    await settled(page);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'chat' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    assert.deepEqual(await page.context().cookies(), []);
    assert.deepEqual(strays, []);
    await close();
  },

  async recovers_when_the_server_was_restarted(browser) {
    const { page, close } = await open(browser, { expects: [/ERR_CONNECTION_(REFUSED|RESET)/,
      /ERR_EMPTY_RESPONSE/, /ERR_INCOMPLETE/, /503/] });
    await signIn(page, base, keys.admin);
    await show(page, `${base}tasks?tenant=later`);
    await page.getByText('No task meets the filters').waitFor();
    await ask('stop');
    await page.getByText('Not connected').waitFor();
    const id = await ask('start');
    await page.getByText('Not connected').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: id, exact: true }).waitFor();
    await close();
  },
};

const browser = await connect(address);
try {
  await scenarios[scenario](browser);
} catch (error) {
  await tellWhatIsShown(browser);
  throw error;
}
await browser.close();
process.exit(0);
