import { formatNumber, useI18n } from '@/i18n'
import { cx } from '@/lib/cx'

export interface HourValue {
  /** The start of the hour. */
  at: string
  /** One number per series, in their order. */
  values: readonly number[]
}

export interface Series {
  label: string
  /** The SVG fill class, such as `fill-accent`. */
  fill: string
  /** The same colour as a background class, for the legend. */
  ground: string
}

interface HourBarsProps {
  label: string
  series: readonly Series[]
  hours: readonly HourValue[]
  className?: string
}

const width = 480
const height = 96
const gap = 0.22

/**
 * A small chart of hours: bars next to each other, a legend, and the same numbers as a table for
 * screen readers.
 */
export function HourBars({ label, series, hours, className }: HourBarsProps) {
  const { language } = useI18n()
  const most = Math.max(1, ...hours.flatMap((hour) => hour.values))
  const slot = width / Math.max(1, hours.length)
  const bar = (slot * (1 - gap)) / Math.max(1, series.length)
  const clock = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' })
  const marks = hours.filter((_, at) => at % 6 === 0)
  return (
    <figure className={className}>
      <figcaption className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-ink-2">
        {series.map((one, at) => (
          <span key={one.label} className="inline-flex items-center gap-1.5">
            <span aria-hidden className={cx('size-2.5 rounded-xs', one.ground)} />
            {one.label}
            <span className="font-semibold text-ink tabular-nums">{formatNumber(hours.reduce((sum, hour) => sum + (hour.values[at] ?? 0), 0))}</span>
          </span>
        ))}
      </figcaption>
      <svg aria-hidden viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" className="block h-24 w-full">
        <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} className="stroke-line" />
        {hours.map((hour, at) =>
          hour.values.map((value, of) => {
            const tall = value === 0 ? 0 : Math.max(2, (value / most) * (height - 4))
            return <rect key={`${hour.at}-${of}`} x={at * slot + (slot * gap) / 2 + of * bar} y={height - 1 - tall} width={Math.max(1, bar - 0.6)} height={tall} rx="1" className={series[of]?.fill} />
          }),
        )}
      </svg>
      <div aria-hidden className="mt-1 flex justify-between text-xs text-ink-3 tabular-nums">
        {marks.map((hour) => (
          <span key={hour.at}>{clock.format(new Date(hour.at))}</span>
        ))}
        <span>{hours.length > 0 && clock.format(new Date(Date.parse(hours[hours.length - 1]?.at ?? '') + 3_600_000))}</span>
      </div>
      <table className="sr-only" aria-label={label}>
        <tbody>
          {hours
            .filter((hour) => hour.values.some((value) => value > 0))
            .map((hour) => (
              <tr key={hour.at}>
                <th scope="row">{clock.format(new Date(hour.at))}</th>
                {series.map((one, at) => (
                  <td key={one.label}>{`${one.label}: ${formatNumber(hour.values[at] ?? 0)}`}</td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </figure>
  )
}
