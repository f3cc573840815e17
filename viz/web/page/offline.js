// Keeps the page's files, so that it opens without a network. While the network answers, its files are used, so that a
// new version of the page is seen at once.
const kFiles = ['./', 'index.html', 'style.css', 'main.js', 'module.js', 'elements.js', 'served.js', 'pane.js', 'canvas.js', 'picture.js', 'link.js', 'samples.json', 'icon.svg',
                'lanescope.webmanifest', 'lanescope.wasm', 'traces.html', 'traces.js', 'timeline.js', 'trace-worker.js', 'traces.wasm', 'traces.json', 'lanescope-layout.js', 'drawn.js', 'embed.html',
                'kernels.html', 'kernels.js', 'kernels.css', 'code.js', 'panels.js', 'background.js', 'module-worker.js', 'kernels.wasm', 'kernels.json',
                'snippets.html', 'snippets.js', 'snippets.css', 'snippets.wasm', 'snippets.json'];
const kCache = 'lanescope';

addEventListener('install', event => event.waitUntil(caches.open(kCache).then(cache => cache.addAll(kFiles)).then(() => skipWaiting())));
addEventListener('activate', event => event.waitUntil(clients.claim()));
addEventListener('fetch', event => {
  if (event.request.method !== 'GET' || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith((async () => {
    const cache = await caches.open(kCache);
    try {
      const answer = await fetch(event.request);
      // The copy is written in parallel, so that the browser can compile the module while it arrives.
      if (answer.ok) event.waitUntil(cache.put(event.request, answer.clone()));
      return answer;
    } catch (problem) {
      const kept = await cache.match(event.request, { ignoreSearch: true });
      if (kept) return kept;
      throw problem;
    }
  })());
});
