import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    // The console's CSP allows no data: scripts or styles; small icons inline as data: images would save nothing.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8081', '/healthz': 'http://127.0.0.1:8081' } },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.ts'],
    setupFiles: ['src/vitest.setup.ts'],
    // Longer than any wait within a test: on a busy machine the first import of a large part takes its time.
    testTimeout: 60_000,
  },
  resolve: process.env['VITEST'] ? { conditions: ['browser'] } : {},
});
