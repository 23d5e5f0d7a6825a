// Builds the page: node build.mjs [--out FOLDER] [--watch | --tests]
import { build, context } from "esbuild";
import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const options = process.argv.slice(2);
const at = options.indexOf("--out");
const out = path.resolve(at < 0 ? path.join(here, "../src/kibitz/web/static") : options[at + 1]);

const common = {
  absWorkingDir: here,
  bundle: true,
  format: "esm",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "utf8",
  logLevel: "warning",
};

// The names carry a digest of the content, so browsers may keep them for ever.
const page = {
  ...common,
  entryPoints: { page: "src/main.tsx" },
  entryNames: "[name]-[hash]",
  outdir: out,
  minify: !options.includes("--watch"),
  sourcemap: options.includes("--watch"),
  metafile: true,
  plugins: [{ name: "index", setup: (builder) => builder.onEnd(writeIndex) }],
};

async function writeIndex(result) {
  if (result.errors.length) return;
  const made = Object.keys(result.metafile.outputs).map((file) => path.basename(file));
  const find = (kind) => made.find((file) => file.endsWith(kind));
  const text = await readFile(path.join(here, "src/index.html"), "utf8");
  await writeFile(
    path.join(out, "index.html"),
    text.replace("page.js", find(".js")).replace("page.css", find(".css")),
  );
  for (const file of await readdir(out))
    if (/^page-.*\.(js|css)(\.map)?$/.test(file) && !made.includes(file))
      await rm(path.join(out, file));
  await cp(path.join(here, "src/favicon.svg"), path.join(out, "favicon.svg"));
}

async function buildTests() {
  const folder = path.join(here, "build");
  await rm(folder, { recursive: true, force: true });
  const found = (await readdir(path.join(here, "src"), { recursive: true })).filter((file) =>
    file.endsWith(".test.ts"),
  );
  await build({
    ...common,
    entryPoints: found.map((file) => path.join("src", file)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    platform: "node",
    packages: "bundle",
  });
}

if (options.includes("--tests")) await buildTests();
else {
  await mkdir(out, { recursive: true });
  if (options.includes("--watch")) await (await context(page)).watch();
  else await build(page);
}
