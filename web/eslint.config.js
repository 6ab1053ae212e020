import js from '@eslint/js'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'test-results', 'src/api/schema.gen.ts', 'public/boot.js', 'public/push.js'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      ...reactHooks.configs.recommended.rules,
      'max-lines': ['error', 500],
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]', message: 'Text is text; build elements.' },
        { selector: 'JSXOpeningElement[name.name="style"]', message: 'The content policy forbids style elements.' },
      ],
    },
  },
  {
    // The panel runs in browsers: only its tests have Node's globals and modules.
    files: ['src/**/*.{ts,tsx}', 'widget/**/*.{ts,tsx}'],
    ignores: ['**/*.test.{ts,tsx}'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'Buffer', 'global', 'require', 'module', '__dirname', '__filename', 'setImmediate'],
      'no-restricted-imports': ['error', { patterns: ['node:*'] }],
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly', URL: 'readonly', URLSearchParams: 'readonly', fetch: 'readonly', setTimeout: 'readonly' } },
  },
)
