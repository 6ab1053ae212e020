import { useId } from 'react'

/** Eight-pointed stars and their crosses, drawn as the outline of a tiled wall. */
export function TilePattern({ className }: { className?: string }) {
  const id = useId()
  return (
    <svg aria-hidden className={className} width="100%" height="100%">
      <defs>
        <pattern id={id} width="96" height="96" patternUnits="userSpaceOnUse">
          <g fill="none" stroke="currentColor" strokeWidth="1.2" strokeLinejoin="round">
            <path d="M48 12 58.5 22.5H73.5V37.5L84 48 73.5 58.5V73.5H58.5L48 84 37.5 73.5H22.5V58.5L12 48 22.5 37.5V22.5H37.5Z" />
            <path d="M48 30 53.3 35.3H60.7V42.7L66 48 60.7 53.3V60.7H53.3L48 66 42.7 60.7H35.3V53.3L30 48 35.3 42.7V35.3H42.7Z" />
            <path d="M48 12V-12M48 84v24M12 48h-24M84 48h24M22.5 22.5 0 0M73.5 22.5 96 0M22.5 73.5 0 96M73.5 73.5 96 96" />
          </g>
        </pattern>
      </defs>
      <rect width="100%" height="100%" fill={`url(#${id})`} />
    </svg>
  )
}
