// Returns visible properties of a report's page for tests. It paints each colour on a canvas,
// because styles can write colours in many ways.
(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = (top, below) => [0, 1, 2].map((i) => (top[i] * top[3] + below[i] * (255 - top[3])) / 255);
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => (element === null ? [255, 255, 255]
    : over(rgba(getComputedStyle(element).backgroundColor), behind(element.parentElement)));
  const name = (element) => (element.localName + ' ' + element.textContent.trim().replace(/\s+/g, ' ')).trim().slice(0, 60);
  const seen = (element) => {
    const { width, height } = element.getBoundingClientRect();
    const { visibility, opacity } = getComputedStyle(element);
    return width > 0 && height > 0 && visibility === 'visible' && Number(opacity) > 0;
  };

  let contrast = Infinity;
  let palest = '';
  const cut = [];
  for (const element of document.body.querySelectorAll('*')) {
    const style = getComputedStyle(element);
    if (element.scrollWidth > element.clientWidth + 1 && style.overflowX !== 'visible' && style.display !== 'inline') cut.push(name(element));
    const text = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    if (!text || !seen(element)) continue;
    const below = behind(element);
    const colour = element instanceof SVGElement ? style.fill : style.color;
    const [a, b] = [luminance(over(rgba(colour), below)), luminance(below)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < contrast) {
      contrast = (a + 0.05) / (b + 0.05);
      palest = name(element) + ' ' + colour;
    }
  }
  // Finds overlapping texts of a picture, and table headings beyond the page.
  const collide = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  const overlapping = [...document.querySelectorAll('svg')].flatMap((svg) => {
    const texts = [...svg.querySelectorAll('text')].map((text) => [text.getBoundingClientRect(), text]);
    return texts.flatMap(([box, text], i) => texts.slice(i + 1).filter(([other]) => collide(box, other))
      .map(([, other]) => `${svg.querySelector('title').textContent}: ${name(text)} and ${name(other)}`));
  });
  const beyond = [...document.querySelectorAll('caption')].filter(seen).filter((caption) => {
    const range = document.createRange();
    range.selectNodeContents(caption);
    return range.getBoundingClientRect().right > document.documentElement.clientWidth + 1;
  }).map(name);
  const matters = 'h1, h2, h3, svg, figcaption, table, caption, th, td, dt, dd';
  const background = behind(document.body);
  return {
    background: background.map(Math.round).join(), light: luminance(background), contrast, palest,
    width: document.documentElement.scrollWidth, cut, overlapping, beyond,
    hidden: [...document.querySelectorAll(matters)].filter((e) => !seen(e) && (e.localName === 'svg' || e.textContent.trim())).map(name),
    figures: document.querySelectorAll('svg').length,
  };
})();
