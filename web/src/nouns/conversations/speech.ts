/** What is said into the microphone, and its words. */
import { upload } from '../../lib/http';

export interface Recording {
  /** Ends it and gives what was recorded. */
  stop: () => Promise<Blob>;
  /** Ends it and forgets it. */
  cancel: () => void;
}

/** Longest recording: a forgotten one ends by itself. */
const LONGEST = 5 * 60_000;
const KINDS = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4'];

/** Begins to record. */
export async function record(): Promise<Recording> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const mimeType = KINDS.find((kind) => MediaRecorder.isTypeSupported(kind));
  const recorder = new MediaRecorder(stream, mimeType ? { mimeType } : {});
  const pieces: Blob[] = [];
  recorder.ondataavailable = ({ data }) => void (data.size > 0 && pieces.push(data));
  const ended = new Promise<Blob>((done) => {
    recorder.onstop = () => {
      stream.getTracks().forEach((track) => track.stop());
      done(new Blob(pieces, { type: recorder.mimeType }));
    };
  });
  recorder.start();
  const stop = () => void (recorder.state !== 'inactive' && recorder.stop());
  const timer = setTimeout(stop, LONGEST);
  void ended.then(() => clearTimeout(timer));
  return { stop: () => (stop(), ended), cancel: stop };
}

/** The name a recording is sent under: its ending says what it is. */
export const nameOf = (type: string) => `speech.${/ogg/.test(type) ? 'ogg' : /mp4/.test(type) ? 'mp4' : 'webm'}`;

/** Has a recording written down. */
export async function transcribe(recorded: Blob): Promise<string> {
  const form = new FormData();
  form.append('file', recorded, nameOf(recorded.type));
  const { text } = (await upload('/api/media/transcriptions', form, () => {}, new AbortController().signal)) as { text: string };
  return text;
}
