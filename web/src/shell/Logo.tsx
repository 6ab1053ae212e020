/** The mark of Konak: a mansion with its bay window. */
export function Logo({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden className={className} fill="none">
      <path d="M4 13 16 5.5 28 13" stroke="currentColor" strokeWidth="2.6" strokeLinecap="round" strokeLinejoin="round" />
      <path d="M7.5 15.5V27h17V15.5" stroke="currentColor" strokeWidth="2.6" strokeLinejoin="round" />
      <path d="M11.5 16h9v6h-9z" fill="var(--k-mark)" />
    </svg>
  )
}
