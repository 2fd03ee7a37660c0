import { defineConfig } from "vite";

// The view in reports: one script without modules, so that a browser takes it from disk.
export default defineConfig({
  build: {
    target: "es2022",
    lib: { entry: "src/report/main.ts", formats: ["iife"], name: "kanshoReport", fileName: () => "report.js" },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1200,
  },
});
