// A browser for scenarios.mjs: prints its address, and ends with its standard input.
import { serve } from './browser.mjs';

const server = await serve();
console.log(server.wsEndpoint());
process.stdin.on('end', async () => {
  await server.close();
  process.exit(0);
});
process.stdin.resume();
