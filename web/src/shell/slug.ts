import { fold } from '@/lib/rank'

/** Turns a name into a label: lower case ASCII, digits and single dashes. */
export function slugFrom(name: string): string {
  return fold(name)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40)
    .replace(/-+$/, '')
}
