/** Two soft notes, made here: one's turn has come. */

let context: AudioContext | null = null;

/** Sound the bell. Browsers let no page sound before it was touched; then it stays silent. */
export function ring(): void {
    if (!navigator.userActivation.hasBeenActive) return;
    try {
        context ??= new AudioContext();
        if (context.state === 'suspended') void context.resume();
        const start = context.currentTime + 0.02;
        for (const [place, pitch] of [587.33, 880].entries()) {
            const at = start + place * 0.16;
            const tone = context.createOscillator();
            const loudness = context.createGain();
            tone.type = 'sine';
            tone.frequency.value = pitch;
            loudness.gain.setValueAtTime(0, at);
            loudness.gain.linearRampToValueAtTime(0.12, at + 0.02);
            loudness.gain.exponentialRampToValueAtTime(0.0001, at + 0.9);
            tone.connect(loudness).connect(context.destination);
            tone.start(at);
            tone.stop(at + 1);
        }
    } catch {
        // A browser without sound shows the turn all the same.
    }
}
