import { defineConfig } from 'vitest/config'
import whole, { longTests } from './vitest.config.ts'

/** Tests that take a minute and more, each. */
export default defineConfig({ test: { ...whole.test, include: longTests, exclude: [] } })
