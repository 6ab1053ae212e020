/** Lives in the widget's shadow root, so that it does not clash with the page's styles. */
export function style(color: string, left: boolean): string {
  const side = left ? 'left' : 'right'
  return `
:host{all:initial}
*{box-sizing:border-box;font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
button,input,textarea{font:inherit;color:inherit}
:focus-visible{outline:3px solid #1a6dff;outline-offset:2px}
[hidden]{display:none!important}
.launch{position:fixed;bottom:20px;${side}:20px;z-index:2147483000;width:56px;height:56px;border:0;border-radius:50%;background:${color};color:${ink(color)};box-shadow:0 4px 16px rgb(0 0 0/.25);cursor:pointer}
.launch svg{width:26px;height:26px;vertical-align:middle}
.dot{position:absolute;top:-3px;right:-3px;min-width:22px;height:22px;padding:0 5px;border-radius:11px;background:#b3391f;color:#fff;border:2px solid #fff;font-size:12px;font-weight:700;line-height:18px}
.dot::after{content:attr(data-n)}
.panel{position:fixed;bottom:88px;${side}:20px;z-index:2147483000;display:flex;flex-direction:column;width:370px;max-width:calc(100vw - 24px);height:560px;max-height:calc(100vh - 110px);background:#fff;color:#1b1b1b;border-radius:14px;box-shadow:0 8px 40px rgb(0 0 0/.28);overflow:hidden;font-size:15px;line-height:1.45}
header{position:relative;display:flex;align-items:center;gap:8px;padding:16px;background:${color};color:${ink(color)};overflow:hidden}
.stars{position:absolute;inset:0;width:100%;height:100%;opacity:.16;pointer-events:none}
.head{position:relative;flex:1;min-width:0}
h2{margin:0;font-size:17px;font-weight:600}
.answers{margin:2px 0 0;font-size:13px}
header button{position:relative}
header button{width:32px;height:32px;border:0;border-radius:8px;background:transparent;cursor:pointer;font-size:20px;line-height:1}
.log{flex:1;overflow-y:auto;padding:14px 16px;display:flex;flex-direction:column;gap:10px}
.line{max-width:82%;align-self:flex-start}
.line.visitor{align-self:flex-end}
.who{font-size:12px;color:#595959;margin:0 0 2px}
.visitor .who{text-align:right}
.text{margin:0;padding:9px 12px;border-radius:12px;background:#f0f1f3;white-space:pre-wrap;overflow-wrap:anywhere}
.text a{color:inherit;text-decoration:underline}
.visitor .text{background:${color};color:${ink(color)}}
.note{margin:0;padding:0 16px 8px;font-size:13px;color:#595959;min-height:20px}
.note.bad{color:#b00020}
form{display:flex;gap:8px;padding:12px;border-top:1px solid #dcdfe3}
form.ask{flex-direction:column;border:0;padding:0 16px 16px}
label{display:block;font-size:13px;margin-bottom:4px}
input,textarea{width:100%;padding:9px 11px;border:1px solid #767b83;border-radius:9px;background:#fff}
form:not(.ask){align-items:flex-end}
textarea{resize:none;height:42px;max-height:132px;line-height:1.4}
.clip{width:42px;height:42px;border:1px solid #767b83;border-radius:9px;background:#fff;cursor:pointer;font-size:20px;line-height:1}
.file{display:block;border:0;margin-top:4px;text-align:left;text-decoration:underline;cursor:pointer}
.go{padding:9px 16px;border:0;border-radius:9px;background:${color};color:${ink(color)};font-weight:600;cursor:pointer}
.find{display:block;padding:12px 16px 0;border:0}
.find ul{list-style:none;margin:4px 0 0;padding:0;max-height:150px;overflow-y:auto}
.find li{padding:4px 0}
.find a{color:#1b1b1b}
.found{margin:4px 0 0;font-size:13px;color:#595959;min-height:18px}
.vote{display:flex;align-items:center;gap:6px;margin-top:4px;font-size:13px;color:#595959}
.vote button{min-width:44px;min-height:28px;padding:2px 10px;border:1px solid #767b83;border-radius:9px;background:#fff;color:#1b1b1b;cursor:pointer}
.vote button[aria-pressed=true]{background:${color};border-color:${color};color:${ink(color)};font-weight:600}
.rate{padding:0 16px 12px}
.rate p{margin:0 0 6px;font-weight:600}
.rate button{width:44px;height:44px;border:1px solid #767b83;border-radius:9px;background:#fff;cursor:pointer;margin-right:6px;font-weight:600}
@media (max-width:480px){.panel{inset:0;width:auto;max-width:none;height:auto;max-height:none;border-radius:0}}
@media (prefers-reduced-motion:no-preference){.panel{animation:in .16s ease-out}@keyframes in{from{opacity:0;transform:translateY(8px)}}.line{animation:in .16s ease-out}}
`
}

/** Returns black or white, whichever is more readable on the colour. */
export function ink(color: string): string {
  const part = (at: number) => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  const light = 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
  return 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 ? '#fff' : '#000'
}
