// Endpoints for pictures and speech, as the scripted model's server has them: a drawing, a tone, a sentence.
import { crc32, deflateSync } from 'node:zlib';

/** A drawing of 96 by 64 pixels: rows of one colour each, from light to dark. */
function drawing() {
  const [width, height] = [96, 64];
  const rows = Array.from({ length: height }, (_, y) => Buffer.from([0, ...Array.from({ length: width }, (_, x) => [40 + y * 2, 110 + x, 120]).flat()]));
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const part = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const whole = Buffer.alloc(data.length + 12);
    whole.writeUInt32BE(data.length, 0);
    body.copy(whole, 4);
    whole.writeUInt32BE(crc32(body), data.length + 8);
    return whole;
  };
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    part('IHDR', head),
    part('IDAT', deflateSync(Buffer.concat(rows))),
    part('IEND', Buffer.alloc(0)),
  ]);
}

/** Half a second of a tone, as a WAV file. */
function tone() {
  const [rate, samples] = [8000, 4000];
  const wav = Buffer.alloc(44 + samples * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + samples * 2, 4);
  wav.write('WAVEfmt ', 8);
  [16].forEach((n) => wav.writeUInt32LE(n, 16));
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples * 2, 40);
  for (let n = 0; n < samples; n += 1) wav.writeInt16LE(Math.round(8000 * Math.sin((n / rate) * 440 * 2 * Math.PI)), 44 + n * 2);
  return wav;
}

const json = (body) => ({ type: 'application/json', body: JSON.stringify(body) });

/** Answers of endpoints for pictures and speech. */
export const MEDIA = {
  'images/generations': json({ data: [{ b64_json: drawing().toString('base64') }] }),
  'audio/speech': { type: 'audio/wav', body: tone() },
  'audio/transcriptions': json({ text: 'What is seventeen and a half percent?' }),
};
