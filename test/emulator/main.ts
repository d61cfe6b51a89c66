import { parseArgs } from 'node:util';
import { startEmulator } from './emulator.ts';

// Runs the emulator on its own: node test/emulator/main.ts --port 8080
const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });

const apiKey = 'demo-key-0123456789';
const projectId = '4d6f8a1c-2b7e-4c35-9f10-6a8e5d3b7c21';

const { url } = await startEmulator({
  port: Number(values.port),
  apiKeys: [apiKey],
  projectIds: [projectId],
  tokenDelayMs: 20,
  onEnd: ({ method, path }, status) => console.log(`${method} ${path} ${status || 'no response'}`),
});

console.log(`Identity service and inference service: ${url}
API key:     ${apiKey}
Project ID:  ${projectId}

Try:
  curl -d grant_type=urn:ibm:params:oauth:grant-type:apikey -d apikey=${apiKey} ${url}/identity/token
  curl '${url}/ml/v1/foundation_model_specs?version=2025-02-11'
Or use this address, key, and project in the extension. Press Ctrl+C to stop the emulator.
`);
