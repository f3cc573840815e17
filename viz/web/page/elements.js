// Elements of a page. Texts are always set as text, never as markup.

/** Makes an element. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name === 'class') made.className = value;
    else if (name.startsWith('aria') || name === 'role') made.setAttribute(name, value);
    else made[name] = value;
  made.append(...children);
  return made;
}

/** An element with the texts between backticks as code. */
export function sentence(text, tag = 'p', properties = {}) {
  const made = element(tag, properties);
  text.split('`').forEach((part, i) => made.append(i % 2 ? element('code', {}, part) : part));
  return made;
}

/** Copies a text for the user. Returns false if the browser does not allow it. */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // without https, or without permission
    const area = element('textarea', { value: text });
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/** Saves a text as a file of the user. */
export function saveFile(name, text) {
  const address = URL.createObjectURL(new Blob([text]));
  element('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
