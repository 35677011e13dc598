import type { Texts } from './en.ts'

export const de: Texts = {
  'page.title': 'Identitätsprüfung',
  'page.step': 'Schritt {n} von {all}',
  'page.language': 'Sprache',
  'page.back': 'Zurück',
  'page.stop': 'Prüfung abbrechen',
  'page.again': 'Noch einmal versuchen',
  'page.leave': 'Zurück zu {name}',
  'page.contact': '{name} kontaktieren',
  'page.needs_script':
    'Diese Seite braucht JavaScript. Bitte schalten Sie es im Browser ein und öffnen Sie den Link noch einmal.',

  'loading.title': 'Einen Moment …',
  'loading.late': 'Das dauert länger als sonst. Bitte prüfen Sie Ihre Verbindung, und öffnen Sie den Link noch einmal.',

  'device.title': 'Mit dem Handy geht es leichter',
  'device.text':
    'Sie fotografieren gleich ein Ausweisdokument und Ihr Gesicht. Das gelingt am besten mit der Kamera eines Handys. Sie müssen nichts installieren.',
  'device.text_face':
    'Sie nehmen gleich Ihr Gesicht auf. Das gelingt am besten mit der Kamera eines Handys. Sie müssen nichts installieren.',
  'device.phone': 'Am Handy weitermachen',
  'device.here': 'Diesen Computer verwenden',

  'consent.title': 'Bestätigen wir, dass Sie es sind',
  'consent.text': 'Für {name}. Es dauert etwa zwei Minuten.',
  'consent.need': 'Das brauchen Sie',
  'consent.need_document': 'Ihr Ausweis\u00addokument im Original',
  'consent.need_face': 'Ihr Gesicht in gutem Licht',
  'consent.use': 'Was mit Ihren Bildern geschieht',
  'consent.use_document':
    'Sie werden verschlüsselt übertragen. Software liest und prüft Ihr Dokument und vergleicht Ihr Gesicht mit dem Foto darauf.',
  'consent.use_face':
    'Sie werden verschlüsselt übertragen. Software vergleicht Ihr Gesicht mit dem, das Sie früher gezeigt haben.',
  'consent.use_biometric':
    'Daten über Ihr Gesicht sind biometrische Daten. Sie werden nur mit Ihrer Einwilligung und nur für diese Prüfung verarbeitet.',
  'consent.use_search':
    'Daten über Ihr Gesicht sind biometrische Daten. Sie werden nur mit Ihrer Einwilligung verarbeitet: für diese Prüfung, und um jetzt und später festzustellen, ob {name} Ihr Gesicht unter einem anderen Namen kennt.',
  'consent.chip':
    'Auch der Chip Ihres Dokuments muss gelesen werden. Ein Browser kann das nicht, die App von {name} kann es.',
  'consent.app': 'In der App fortfahren',
  'consent.location':
    'Ihr Browser fragt nach Ihrem Standort: Er wird mit dem Ihrer Internetadresse verglichen. Sie dürfen ablehnen.',
  'consent.privacy': 'Wie {name} Ihre Daten schützt (öffnet eine neue Seite)',
  'consent.agree': 'Ich willige ein und beginne',

  'document.title': 'Welches Dokument haben Sie zur Hand?',
  'document.text': 'Es muss gültig und das Original sein, keine Kopie und kein Foto davon.',
  'document.PASSPORT': 'Reisepass',
  // Soft hyphens: long words break on a narrow screen or in large letters.
  'document.ID_CARD': 'Personal\u00adausweis',
  'document.DRIVING_LICENSE': 'Führer\u00adschein',
  'document.RESIDENCE_PERMIT': 'Aufenthalts\u00adtitel',
  'document.change': 'Ich habe ein anderes Dokument',

  'passport.title': 'Fotografieren Sie Ihren Reisepass',
  'passport.text':
    'Schlagen Sie die Seite mit Ihrem Foto auf. Wir lesen die Daten darauf und vergleichen das Foto mit Ihrem Gesicht.',
  'passport.camera': 'Seite mit Ihrem Foto',
  'front.title': 'Fotografieren Sie die Vorderseite',
  'front.text':
    'Das ist die Seite mit Ihrem Foto. Wir lesen die Daten darauf und vergleichen das Foto mit Ihrem Gesicht.',
  'front.camera': 'Vorderseite des Dokuments',
  'back.title': 'Jetzt die Rückseite',
  'back.text': 'Drehen Sie das Dokument um. Auf der Rückseite stehen die Daten oft so, dass sie sich prüfen lassen.',
  'back.camera': 'Rückseite des Dokuments',
  'selfie.title': 'Machen Sie ein Bild von Ihrem Gesicht',
  'selfie.text': 'Wir vergleichen es mit dem Foto auf Ihrem Dokument.',
  'selfie.text_face': 'Wir vergleichen es mit dem Gesicht, das Sie früher gezeigt haben.',
  'selfie.camera': 'Ihr Gesicht',
  'tip.surface': 'Legen Sie es flach auf eine einfarbige, dunklere Fläche.',
  'tip.edges': 'Zeigen Sie es ganz, mit etwas von der Fläche ringsum.',
  'tip.glare': 'Vermeiden Sie Spiegelungen und Schatten.',
  'tip.light': 'Das Licht sollte von vorn kommen, nicht von hinten.',
  'tip.cover': 'Nehmen Sie Mütze, Sonnenbrille und Maske ab.',
  'tip.alone': 'Nur Sie sollten im Bild sein.',
  'picture.open': 'Kamera öffnen',
  'picture.permission': 'Ihr Browser fragt gleich, ob er die Kamera verwenden darf. Bitte erlauben Sie es.',
  'picture.file': 'Stattdessen ein Foto auswählen',
  'picture.keep': 'Mein Foto behalten',

  'camera.opening': 'Die Kamera wird geöffnet …',
  'camera.take': 'Foto aufnehmen',
  'camera.auto': 'Das Foto wird von selbst aufgenommen, sobald es gut ist.',
  'camera.by_hand': 'Es löst nicht von selbst aus? Drücken Sie den Knopf.',
  'camera.by_hand_document':
    'Es löst nicht von selbst aus? Drücken Sie den Knopf, oder legen Sie das Dokument auf eine einfarbige Fläche.',
  'camera.view': 'Kamerabild',
  'camera.choose': 'Kamera',
  'camera.number': 'Kamera {n}',
  'camera.light_on': 'Licht einschalten',
  'camera.light_off': 'Licht ausschalten',

  'hint.FIND_DOCUMENT': 'Halten Sie das Dokument in den Rahmen',
  'hint.COME_CLOSER': 'Kommen Sie näher',
  'hint.SHOW_ALL': 'Zeigen Sie es ganz',
  'hint.HOLD_STILL': 'Halten Sie still',
  'hint.MORE_LIGHT': 'Es braucht mehr Licht',
  'hint.LESS_LIGHT': 'Zu hell: Wenden Sie sich vom Licht ab',
  'hint.AVOID_GLARE': 'Kippen Sie es etwas: Es spiegelt',
  'hint.FIND_FACE': 'Schauen Sie in die Kamera',
  'hint.ONE_PERSON': 'Bitte nur Sie allein',
  'hint.CENTRE_FACE': 'Bringen Sie Ihr Gesicht in das Oval',
  'hint.MOVE_BACK': 'Gehen Sie etwas zurück',
  'hint.LOOK_AHEAD': 'Schauen Sie geradeaus',
  'hint.OPEN_EYES': 'Öffnen Sie die Augen',
  'hint.TAKE_OFF_COVER': 'Zeigen Sie Ihr Gesicht ganz und unbedeckt',
  'hint.TURN_LEFT': 'Drehen Sie den Kopf nach links',
  'hint.TURN_RIGHT': 'Drehen Sie den Kopf nach rechts',
  'hint.BLINK': 'Schließen Sie kurz beide Augen',
  'hint.OPEN_MOUTH': 'Öffnen Sie den Mund weit',
  'hint.LOOK_UP': 'Schauen Sie nach oben',
  'hint.GOOD': 'Gut, bleiben Sie so',

  'nocamera.camera_refused.title': 'Die Kamera ist gesperrt',
  'nocamera.camera_refused.text':
    'Erlauben Sie die Kamera im Browser: Tippen Sie auf das Symbol neben der Adresse oder öffnen Sie die Einstellungen des Browsers für diese Seite. Versuchen Sie es dann noch einmal.',
  'nocamera.camera_missing.title': 'Keine Kamera gefunden',
  'nocamera.camera_missing.text':
    'An diesem Gerät ist keine Kamera. Verwenden Sie ein Handy, oder wählen Sie ein Foto aus, das Sie jetzt aufnehmen. Wenn der Link in einer anderen App aufging, öffnen Sie ihn im Browser.',
  'nocamera.camera_busy.title': 'Die Kamera lässt sich nicht verwenden',
  'nocamera.camera_busy.text':
    'Vielleicht verwendet sie gerade eine andere App. Schließen Sie andere Apps mit Kamerabild und versuchen Sie es noch einmal.',
  'nocamera.files': 'Mit Fotos weitermachen',

  'sending.title': 'Wir sehen uns Ihr Foto an …',
  'sending.yours': 'Ihr Foto',

  'advice.title': 'Dieses Foto könnte besser sein',
  'advice.retake': 'Noch einmal aufnehmen',
  'advice.keep': 'Trotzdem verwenden',
  'advice.left': 'Sie können es noch {n}-mal aufnehmen.',
  'advice.left_one': 'Sie können es noch einmal aufnehmen.',
  'advice.left_none': 'Es lässt sich nicht noch einmal aufnehmen.',
  'advice.other': 'Etwas darauf ist nicht deutlich genug.',
  'advice.IMAGE_LOW_RESOLUTION':
    'Es zeigt zu wenig Einzelheiten. Verwenden Sie die Kamera Ihres Geräts, keine verkleinerte Kopie.',
  'advice.IMAGE_BLURRED':
    'Es ist unscharf. Wischen Sie die Linse ab, halten Sie still und lassen Sie die Kamera scharfstellen.',
  'advice.IMAGE_TOO_DARK': 'Es ist zu dunkel. Gehen Sie dorthin, wo mehr Licht ist.',
  'advice.IMAGE_TOO_BRIGHT': 'Es ist zu hell. Wenden Sie sich vom Licht ab.',
  'advice.DOCUMENT_TOO_SMALL': 'Das Dokument ist zu klein darauf. Gehen Sie näher heran.',
  'advice.DOCUMENT_CUT_OFF': 'Das Dokument ist abgeschnitten. Zeigen Sie es ganz, mit etwas von der Fläche ringsum.',
  'advice.DOCUMENT_GLARE':
    'Eine Spiegelung verdeckt einen Teil des Dokuments. Kippen Sie es, oder schalten Sie den Blitz aus.',
  'advice.EXPIRED_DOCUMENT': 'Dieses Dokument ist abgelaufen. Nehmen Sie eines, das noch gültig ist.',
  'advice.UNSUPPORTED_DOCUMENT': 'Diese Art von Dokument wird nicht angenommen. Zeigen Sie ein anderes.',
  'advice.HEALTH_CARD':
    'Das ist eine Gesundheitskarte. Sie wird nicht angenommen: Zeigen Sie Pass, Ausweis, Aufenthaltstitel oder Führerschein.',
  'advice.CHEQUE':
    'Das ist ein Scheck. Er wird nicht angenommen: Zeigen Sie Pass, Ausweis, Aufenthaltstitel oder Führerschein.',
  'advice.DOCUMENT_NOT_READABLE':
    'Wir konnten es nicht lesen. Ist es die richtige Seite? Legen Sie es flach hin, zeigen Sie es ganz, und vermeiden Sie Schatten und Spiegelungen.',
  'advice.DOCUMENT_SIDE_MISSING': 'Wir brauchen auch die andere Seite des Dokuments.',
  'advice.DOCUMENT_PORTRAIT_MISSING':
    'Wir haben darauf kein Foto von Ihnen gefunden. Zeigen Sie die Seite mit Ihrem Foto.',
  'advice.LIVENESS_CHALLENGE_FAILED': 'Wir konnten die Bewegung nicht erkennen. Machen Sie sie etwas deutlicher.',
  'advice.MIRRORED': 'Sie haben den Kopf zur anderen Seite gedreht. Drehen Sie ihn zu der Seite, die der Pfeil zeigt.',
  'advice.LIVENESS_NOT_EVALUABLE': 'Wir konnten Ihr Gesicht nicht gut genug erkennen. Suchen Sie gutes Licht.',
  'advice.MULTIPLE_FACES_DETECTED': 'Darauf ist mehr als ein Gesicht. Nur Sie sollten im Bild sein.',
  'advice.NO_FACE_DETECTED': 'Wir haben darauf kein Gesicht gefunden. Schauen Sie bei gutem Licht in die Kamera.',
  'advice.SELFIE_LOW_QUALITY': 'Ihr Gesicht ist nicht gut genug zu erkennen, um es zu vergleichen.',
  'advice.TOO_SMALL': 'Ihr Gesicht ist zu klein darauf. Gehen Sie näher heran.',
  'advice.TURNED_AWAY': 'Ihr Gesicht ist abgewandt. Schauen Sie gerade in die Kamera.',
  'advice.COVERED': 'Ihr Gesicht ist zum Teil verdeckt. Nehmen Sie Mütze, Sonnenbrille und Maske ab.',
  'advice.EYES_CLOSED': 'Ihre Augen sind geschlossen. Lassen Sie sie offen.',
  'advice.BLURRED': 'Ihr Gesicht ist unscharf. Halten Sie still.',

  'refused.title': 'Dieses Foto lässt sich nicht verwenden',
  'refused.unreadable': 'Die Datei ist beschädigt, oder sie ist kein Foto.',
  'refused.too_large': 'Die Datei ist zu groß, auch nachdem wir sie verkleinert haben.',
  'refused.wrong_type':
    'Fotos können JPEG, PNG oder WebP sein. Ist Ihres HEIC, nehmen Sie es mit der Kamera dieser Seite auf, oder stellen Sie die Kamera Ihres Handys auf „Maximale Kompatibilität“.',
  'refused.repeated': 'Dieses Foto wurde schon verwendet. Bitte nehmen Sie ein neues auf.',
  'refused.retake': 'Ein anderes Foto verwenden',

  'live.title': 'Zeigen Sie, dass Sie wirklich da sind',
  'live.text':
    'Wir bitten Sie um einige kleine Bewegungen, etwa den Kopf zu drehen. Ein Bild von Ihnen könnte das nicht.',
  'live.time': 'Die Zeit dafür ist begrenzt, und Sie können es noch einmal versuchen.',
  'live.help':
    'Wenn Ihnen eine Bewegung nicht möglich ist, brechen Sie hier ab und fragen Sie nach einem anderen Weg. Ansprechpartner: {name}.',
  'live.start': 'Beginnen',
  'live.of': 'Bewegung {n} von {all}',
  'live.camera': 'Folgen Sie den Bewegungen',
  'live.preparing': 'Gleich geht es los …',
  'live.stop': 'Abbrechen',
  'live.file': 'Wählen Sie ein neues Foto aus, das es zeigt, oder nehmen Sie eines auf.',
  'live.pick': 'Ein Foto auswählen',
  'live.again': 'Dann kommen alle Bewegungen noch einmal.',
  'live.left': 'Sie können es noch {n}-mal versuchen.',
  'live.left_one': 'Sie können es noch einmal versuchen.',
  'live.left_none': 'Einen weiteren Versuch gibt es nicht.',
  'live.timeout.title': 'Die Zeit ist um',
  'live.timeout.text':
    'Die Bewegungen müssen innerhalb von {time} folgen, damit sie niemand vorbereiten kann. Versuchen Sie es einfach noch einmal.',

  'handoff.title': 'Machen Sie am Handy weiter',
  'handoff.scan': 'Richten Sie die Kamera Ihres Handys auf diesen Code und öffnen Sie den Link, den sie anzeigt.',
  'handoff.code': 'QR-Code mit einem Link für Ihr Handy',
  'handoff.or': 'Oder schicken Sie sich den Link:',
  'handoff.send': 'Schicken Sie sich den Link:',
  'handoff.copy': 'Link kopieren',
  'handoff.copied': 'Der Link ist kopiert',
  'handoff.secret': 'Er gilt einmal und zehn Minuten lang. Geben Sie ihn niemandem sonst.',
  'handoff.recipient': 'E-Mail-Adresse oder Telefonnummer (+…)',
  'handoff.deliver': 'Link senden',
  'handoff.sent': 'Der Link wurde gesendet.',
  'handoff.unsent': 'Der Link konnte nicht gesendet werden. Prüfen Sie Ihre Eingabe, oder scannen Sie den Code.',
  'handoff.here': 'Doch diesen Computer verwenden',

  'follow.title': 'Machen Sie am Handy weiter',
  'follow.text': 'Lassen Sie diese Seite und die auf dem Handy offen. Es geht von selbst weiter, wenn Sie fertig sind.',
  'follow.document_front': 'Vorderseite des Dokuments',
  'follow.document_back': 'Rückseite des Dokuments',
  'follow.selfie': 'Bild Ihres Gesichts',
  'follow.liveness': 'Bewegungen',
  'follow.done': 'erledigt',
  'follow.open': 'offen',

  'checking.title': 'Wir prüfen alles …',
  'checking.text': 'Das dauert einige Sekunden. Bitte lassen Sie diese Seite offen.',

  'offline.offline.title': 'Keine Verbindung',
  'offline.offline.text': 'Nichts geht verloren. Es geht weiter, sobald die Verbindung wieder da ist.',
  'offline.busy.title': 'Es dauert etwas länger',
  'offline.busy.text':
    'Gerade sind viele Menschen an der Reihe. Nichts geht verloren; wir versuchen es gleich noch einmal.',

  'broken.title': 'Etwas ist schiefgegangen',
  'broken.text':
    'Das liegt an uns, nicht an Ihnen. Was Sie aufgenommen haben, ist noch da. Bitte versuchen Sie es noch einmal.',

  'stop.title': 'Die Prüfung abbrechen?',
  'stop.text':
    'Dieser Link gilt dann nicht mehr. Wenn Sie nur eine Pause brauchen, schließen Sie einfach diese Seite: Derselbe Link bringt Sie hierher zurück.',
  'stop.yes': 'Endgültig abbrechen',
  'stop.no': 'Weitermachen',

  'again.title': 'Etwas war nicht gut genug zu sehen',
  'again.text': 'Sie können es jetzt noch einmal versuchen. Wir fragen nur nach dem, was fehlt; alles andere bleibt.',
  'review.title': 'Ein Mensch sieht es sich an',
  'review.text':
    'Sie sind fertig. Die Prüfung kann einige Tage dauern. Wie es steht, sehen Sie jederzeit unter Ihrem Link.',
  'result.APPROVED.title': 'Danke, Sie sind es',
  'result.APPROVED.text': 'Ihre Identität ist bestätigt.',
  'result.REJECTED.title': 'Wir konnten Ihre Identität nicht bestätigen',
  'result.REJECTED.text': 'Das kann viele Gründe haben. Was Sie jetzt tun können, erfahren Sie hier: {name}.',
  'result.UNDETERMINED.title': 'Danke, das war alles',
  'result.UNDETERMINED.text':
    'Wir konnten nicht alles selbst bestätigen. Wie es weitergeht, erfahren Sie hier: {name}.',
  'result.close': 'Sie können diese Seite schließen.',
  'result.elsewhere': 'Sie können diese Seite schließen und am Computer weitermachen.',
  'result.auto': 'Sie werden in einigen Sekunden zurückgeleitet.',
  'result.stay': 'Auf dieser Seite bleiben',

  'closed.EXPIRED.title': 'Dieser Link ist abgelaufen',
  'closed.EXPIRED.text': 'Seine Zeit ist um. Einen neuen erhalten Sie hier: {name}.',
  'closed.CANCELLED.title': 'Die Prüfung ist abgebrochen',
  'closed.CANCELLED.text':
    'Dieser Link gilt nicht mehr. Wenn Sie es sich anders überlegen, erhalten Sie hier einen neuen: {name}.',
  'closed.FAILED.title': 'Diese Prüfung ist beendet',
  'closed.FAILED.text': 'Es gibt kein Ergebnis. Ob Sie einen neuen Link brauchen, erfahren Sie hier: {name}.',
  'closed.UNKNOWN_LINK.title': 'Dieser Link geht nicht',
  'closed.UNKNOWN_LINK.text':
    'Öffnen Sie ihn noch einmal genau so, wie Sie ihn erhalten haben, und vollständig. Hilft das nicht, bitten Sie um einen neuen.',
  'closed.USED_LINK.title': 'Dieser Link gilt nur einmal',
  'closed.USED_LINK.text':
    'Er wurde schon verwendet, oder seine zehn Minuten sind um. Machen Sie dort weiter, wo er zuerst geöffnet wurde, oder lassen Sie am Computer einen neuen Code anzeigen.',
  'closed.NO_ATTEMPTS.title': 'Das war der letzte Versuch',
  'closed.NO_ATTEMPTS.text':
    'Diesmal hat es nicht geklappt. Einen neuen Link erhalten Sie hier: {name}. Versuchen Sie es dann in besserem Licht.',
}
