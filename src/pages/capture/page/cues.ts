/** What a person is to notice who does not look at the screen: closed eyes read no hint. */
export type Cue = 'close_eyes' | 'taken'

/** Tones in hertz, one after the other, and the vibration in milliseconds: on, off, on. */
const cues: Readonly<Record<Cue, { readonly tones: readonly number[]; readonly vibration: readonly number[] }>> = {
  close_eyes: { tones: [660, 440], vibration: [60, 60, 60] },
  taken: { tones: [880], vibration: [80] },
}

const toneSeconds = 0.12
const volume = 0.2

function play(tones: readonly number[]): void {
  const sound = new AudioContext()
  const gain = new GainNode(sound, { gain: volume })
  const oscillator = new OscillatorNode(sound)
  for (const [n, tone] of tones.entries())
    oscillator.frequency.setValueAtTime(tone, sound.currentTime + n * toneSeconds)
  const end = sound.currentTime + tones.length * toneSeconds
  // A tone that is cut off clicks.
  gain.gain.setTargetAtTime(0, end - toneSeconds / 2, toneSeconds / 8)
  oscillator.connect(gain).connect(sound.destination)
  oscillator.addEventListener('ended', () => void sound.close())
  oscillator.start()
  oscillator.stop(end)
}

/** Sounds and vibrates, as far as the device does: a phone that is silenced stays so. */
export function giveCue(cue: Cue): void {
  const { tones, vibration } = cues[cue]
  if ('vibrate' in navigator) navigator.vibrate([...vibration])
  if ('AudioContext' in globalThis) play(tones)
}
