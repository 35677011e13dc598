/** Every text of the page. `{name}` and the like are filled in; an operator may replace any of them. */
export const en = {
  'page.title': 'Identity verification',
  'page.step': 'Step {n} of {all}',
  'page.language': 'Language',
  'page.back': 'Back',
  'page.stop': 'Stop the verification',
  'page.again': 'Try again',
  'page.leave': 'Back to {name}',
  'page.contact': 'Contact {name}',
  'page.needs_script': 'This page needs JavaScript. Please turn it on in your browser, and open the link again.',

  'loading.title': 'One moment …',
  'loading.late': 'This takes longer than usual. Please check your connection, and open the link again.',

  'device.title': 'A phone makes it easier',
  'device.text':
    'You will photograph a document and your face. A phone’s camera does that best. There is nothing to install.',
  'device.text_face':
    'You will take pictures of your face. A phone’s camera does that best. There is nothing to install.',
  'device.phone': 'Continue on my phone',
  'device.here': 'Use this computer',

  'consent.title': 'Let’s confirm that it’s you',
  'consent.text': 'For {name}. It takes about two minutes.',
  'consent.need': 'You will need',
  'consent.need_document': 'your identity document, the original',
  'consent.need_face': 'your face, in good light',
  'consent.use': 'What happens with your pictures',
  'consent.use_document':
    'They are sent encrypted. Software reads your document, checks it, and compares your face with the photo on it.',
  'consent.use_face': 'They are sent encrypted. Software compares your face with the one that you showed before.',
  'consent.use_biometric':
    'Data about your face are biometric data. They are processed only because you agree, for this check.',
  'consent.use_search':
    'Data about your face are biometric data. They are processed only because you agree: for this check, and to find out whether {name} knows your face under another name, now and later.',
  'consent.chip': 'Your document’s chip has to be read too. A browser cannot do that: {name}’s app can.',
  'consent.app': 'Continue in the app',
  'consent.location':
    'Your browser will ask for your location: it is compared with that of your internet address. You may refuse.',
  'consent.privacy': 'How {name} protects your data (opens a new page)',
  'consent.agree': 'I agree, start',

  'document.title': 'Which document do you have with you?',
  'document.text': 'It must be valid, and the original: no copy and no photo of it.',
  'document.PASSPORT': 'Passport',
  'document.ID_CARD': 'Identity card',
  'document.DRIVING_LICENSE': 'Driving licence',
  'document.RESIDENCE_PERMIT': 'Residence permit',
  'document.change': 'I have another document',

  'passport.title': 'Photograph your passport',
  'passport.text': 'Open it at the page with your photo. We read the data on it and compare the photo with your face.',
  'passport.camera': 'Page with your photo',
  'front.title': 'Photograph the front',
  'front.text': 'The side with your photo. We read the data on it and compare the photo with your face.',
  'front.camera': 'Front of your document',
  'back.title': 'Now the back',
  'back.text': 'Turn your document over. The back often has the data in a form that can be checked.',
  'back.camera': 'Back of your document',
  'selfie.title': 'Take a picture of your face',
  'selfie.text': 'We compare it with the photo on your document.',
  'selfie.text_face': 'We compare it with the face that you showed before.',
  'selfie.camera': 'Your face',
  'tip.surface': 'Lay it flat on a plain, darker surface.',
  'tip.edges': 'Show all of it, with a little of the surface around.',
  'tip.glare': 'Avoid reflections and shadows.',
  'tip.light': 'Light should come from the front, not from behind.',
  'tip.cover': 'Take off a hat, sunglasses or a mask.',
  'tip.alone': 'Only you should be in the picture.',
  'picture.open': 'Open the camera',
  'picture.permission': 'Your browser will ask whether it may use the camera. Please allow it.',
  'picture.file': 'Choose a photo instead',
  'picture.keep': 'Keep the photo that I took',

  'camera.opening': 'Opening the camera …',
  'camera.take': 'Take the photo',
  'camera.auto': 'The photo is taken by itself as soon as it is good.',
  'camera.by_hand': 'It isn’t taken by itself? Press the button.',
  'camera.by_hand_document': 'It isn’t taken by itself? Press the button, or lay the document on a plain surface.',
  'camera.view': 'Camera picture',
  'camera.choose': 'Camera',
  'camera.number': 'Camera {n}',
  'camera.light_on': 'Turn the light on',
  'camera.light_off': 'Turn the light off',

  'hint.FIND_DOCUMENT': 'Hold your document into the frame',
  'hint.COME_CLOSER': 'Come closer',
  'hint.SHOW_ALL': 'Show all of it',
  'hint.HOLD_STILL': 'Hold still',
  'hint.MORE_LIGHT': 'It needs more light',
  'hint.LESS_LIGHT': 'It is too bright: turn away from the light',
  'hint.AVOID_GLARE': 'Tilt it a little: there is a reflection',
  'hint.FIND_FACE': 'Look into the camera',
  'hint.ONE_PERSON': 'Only you, please',
  'hint.CENTRE_FACE': 'Bring your face into the oval',
  'hint.MOVE_BACK': 'Move back a little',
  'hint.LOOK_AHEAD': 'Look straight ahead',
  'hint.OPEN_EYES': 'Open your eyes',
  'hint.TAKE_OFF_COVER': 'Show your whole face, uncovered',
  'hint.TURN_LEFT': 'Turn your head to your left',
  'hint.TURN_RIGHT': 'Turn your head to your right',
  'hint.BLINK': 'Close both eyes for a moment',
  'hint.OPEN_MOUTH': 'Open your mouth wide',
  'hint.LOOK_UP': 'Look up',
  'hint.GOOD': 'Good, stay like that',

  'nocamera.camera_refused.title': 'The camera is blocked',
  'nocamera.camera_refused.text':
    'Allow the camera in your browser: tap the symbol beside the address, or open the browser’s settings for this page. Then try again.',
  'nocamera.camera_missing.title': 'There is no camera',
  'nocamera.camera_missing.text':
    'We found no camera on this device. Use a phone, or choose a photo that you take now. If the link opened inside another app, open it in your browser.',
  'nocamera.camera_busy.title': 'The camera can’t be used',
  'nocamera.camera_busy.text':
    'Perhaps another app is using it. Close other apps that show a camera picture, and try again.',
  'nocamera.files': 'Go on with photos',

  'sending.title': 'We are looking at your photo …',
  'sending.yours': 'Your photo',

  'advice.title': 'This photo could be better',
  'advice.retake': 'Take it again',
  'advice.keep': 'Use this one anyway',
  'advice.left': 'You can take it {n} more times.',
  'advice.left_one': 'You can take it once more.',
  'advice.left_none': 'It can’t be taken again.',
  'advice.other': 'Something on it is not clear enough.',
  'advice.IMAGE_LOW_RESOLUTION': 'It has too little detail. Use your device’s camera, not a small copy of a photo.',
  'advice.IMAGE_BLURRED': 'It is blurred. Wipe the lens, hold still and let the camera focus.',
  'advice.IMAGE_TOO_DARK': 'It is too dark. Go where there is more light.',
  'advice.IMAGE_TOO_BRIGHT': 'It is too bright. Turn away from the light.',
  'advice.DOCUMENT_TOO_SMALL': 'The document is too small on it. Come closer.',
  'advice.DOCUMENT_CUT_OFF': 'The document is cut off. Show all of it, with a little of the surface around.',
  'advice.DOCUMENT_GLARE': 'A reflection covers a part of the document. Tilt it, or turn the flash off.',
  'advice.EXPIRED_DOCUMENT': 'This document has expired. Use one that is still valid.',
  'advice.UNSUPPORTED_DOCUMENT': 'This kind of document is not accepted. Show another one.',
  'advice.HEALTH_CARD':
    'This is a health card. It is not accepted: show a passport, an identity card, a residence permit or a driving licence.',
  'advice.CHEQUE':
    'This is a cheque. It is not accepted: show a passport, an identity card, a residence permit or a driving licence.',
  'advice.DOCUMENT_NOT_READABLE':
    'We could not read it. Is it the right page or side? Lay it flat, show all of it, and avoid shadows and reflections.',
  'advice.DOCUMENT_SIDE_MISSING': 'We need the other side of the document, too.',
  'advice.DOCUMENT_PORTRAIT_MISSING': 'We found no photo of you on it. Show the side with your photo.',
  'advice.LIVENESS_CHALLENGE_FAILED': 'We could not see the movement. Make it a little larger.',
  'advice.MIRRORED': 'You turned your head the other way. Turn it to where the arrow points.',
  'advice.LIVENESS_NOT_EVALUABLE': 'We could not see your face well enough. Find good light.',
  'advice.MULTIPLE_FACES_DETECTED': 'There is more than one face on it. Only you should be in the picture.',
  'advice.NO_FACE_DETECTED': 'We found no face on it. Look into the camera, in good light.',
  'advice.SELFIE_LOW_QUALITY': 'Your face can’t be seen well enough to compare it.',
  'advice.TOO_SMALL': 'Your face is too small on it. Come closer.',
  'advice.TURNED_AWAY': 'Your face is turned away. Look straight into the camera.',
  'advice.COVERED': 'Your face is partly covered. Take off a hat, sunglasses or a mask.',
  'advice.EYES_CLOSED': 'Your eyes are closed. Keep them open.',
  'advice.BLURRED': 'Your face is blurred. Hold still.',

  'refused.title': 'This photo can’t be used',
  'refused.unreadable': 'The file is damaged, or it is no photo.',
  'refused.too_large': 'The file is too large, even after we made it smaller.',
  'refused.wrong_type':
    'Photos can be JPEG, PNG or WebP. If yours is HEIC, take it with the camera of this page, or set your phone’s camera to “most compatible”.',
  'refused.repeated': 'This photo was used before. Please take a new one.',
  'refused.retake': 'Use another photo',

  'live.title': 'Show that you are really there',
  'live.text': 'We ask for a few small movements, such as turning your head. A picture of you could not follow them.',
  'live.time': 'The time for them is limited, and you can try again.',
  'live.help': 'If a movement is not possible for you, stop here and ask {name} for another way.',
  'live.start': 'Start',
  'live.of': 'Movement {n} of {all}',
  'live.camera': 'Follow the movements',
  'live.preparing': 'Get ready …',
  'live.stop': 'Stop',
  'live.file': 'Choose or take a new photo that shows it.',
  'live.pick': 'Choose a photo',
  'live.again': 'All movements are then asked again.',
  'live.left': 'You can try it {n} more times.',
  'live.left_one': 'You can try it once more.',
  'live.left_none': 'There is no further try.',
  'live.timeout.title': 'The time is over',
  'live.timeout.text': 'The movements must follow within {time}, so that nobody can prepare them. Simply try again.',

  'handoff.title': 'Continue on your phone',
  'handoff.scan': 'Point your phone’s camera at this code, and open the link that it shows.',
  'handoff.code': 'QR code with a link for your phone',
  'handoff.or': 'Or send yourself the link:',
  'handoff.send': 'Send yourself the link:',
  'handoff.copy': 'Copy the link',
  'handoff.copied': 'The link is copied',
  'handoff.secret': 'It works once, for ten minutes. Don’t give it to anybody else.',
  'handoff.recipient': 'E-mail address or phone number (+…)',
  'handoff.deliver': 'Send the link',
  'handoff.sent': 'The link was sent.',
  'handoff.unsent': 'The link could not be sent. Check what you entered, or scan the code.',
  'handoff.here': 'Use this computer instead',

  'follow.title': 'Go on with your phone',
  'follow.text': 'Keep this page and the one on your phone open. It goes on by itself when you have finished.',
  'follow.document_front': 'Front of the document',
  'follow.document_back': 'Back of the document',
  'follow.selfie': 'Picture of your face',
  'follow.liveness': 'Movements',
  'follow.done': 'done',
  'follow.open': 'open',

  'checking.title': 'We are checking everything …',
  'checking.text': 'This takes a few seconds. Please keep this page open.',

  'offline.offline.title': 'You are not connected',
  'offline.offline.text': 'Nothing is lost. We go on as soon as the connection is back.',
  'offline.busy.title': 'It takes a little longer',
  'offline.busy.text': 'Many people are being served just now. Nothing is lost; we try again in a moment.',

  'broken.title': 'Something went wrong',
  'broken.text': 'It is our fault, not yours. What you have captured is kept. Please try again.',

  'stop.title': 'Stop the verification?',
  'stop.text':
    'This link will not work any more. If you only need a break, just close this page: the same link brings you back here.',
  'stop.yes': 'Stop for good',
  'stop.no': 'Go on with it',

  'again.title': 'Something was not seen well enough',
  'again.text': 'You can try again now. We ask only for what is missing; everything else is kept.',
  'review.title': 'A person is looking at it',
  'review.text':
    'Your part is done. This can take some days. You can open your link again at any time to see how it stands.',
  'result.APPROVED.title': 'Thank you, it’s you',
  'result.APPROVED.text': 'Your identity is confirmed.',
  'result.REJECTED.title': 'We could not confirm your identity',
  'result.REJECTED.text': 'That can have many reasons. {name} can tell you what you can do now.',
  'result.UNDETERMINED.title': 'Thank you, that’s all from you',
  'result.UNDETERMINED.text': 'We could not confirm everything by ourselves. {name} will tell you how it goes on.',
  'result.close': 'You can close this page.',
  'result.elsewhere': 'You can close this page, and go on at your computer.',
  'result.auto': 'You will be taken back in a few seconds.',
  'result.stay': 'Stay on this page',

  'closed.EXPIRED.title': 'This link has expired',
  'closed.EXPIRED.text': 'Its time is over. Ask {name} for a new link.',
  'closed.CANCELLED.title': 'The verification is stopped',
  'closed.CANCELLED.text': 'This link does not work any more. If you change your mind, ask {name} for a new one.',
  'closed.FAILED.title': 'This verification has ended',
  'closed.FAILED.text': 'There is no result. Ask {name} whether a new link is needed.',
  'closed.UNKNOWN_LINK.title': 'This link does not work',
  'closed.UNKNOWN_LINK.text':
    'Open it again exactly as you received it, all of it. If that does not help, ask for a new one.',
  'closed.USED_LINK.title': 'This link works only once',
  'closed.USED_LINK.text':
    'It was used already, or its ten minutes are over. Go on where it was opened first, or show a new code on your computer.',
  'closed.NO_ATTEMPTS.title': 'That was the last try',
  'closed.NO_ATTEMPTS.text': 'It did not work out this time. Ask {name} for a new link, and try it in better light.',
} as const

export type TextKey = keyof typeof en

/** Texts with a number. A language has a form of them for each of its plurals that is not the text itself. */
const counted = ['advice.left', 'live.left'] as const satisfies readonly TextKey[]
const plurals = ['two', 'few', 'many'] as const

type PluralKey = `${(typeof counted)[number]}_${(typeof plurals)[number]}`

const pluralKeys = new Set<string>(counted.flatMap(key => plurals.map(plural => `${key}_${plural}`)))

export function isText(key: string): key is TextKey | PluralKey {
  return Object.hasOwn(en, key) || pluralKeys.has(key)
}

/** A language has every text, and the plurals that it needs. */
export type Texts = Readonly<Record<TextKey, string> & Partial<Record<PluralKey, string>>>
