import type { Texts } from './en.ts'

export const fr: Texts = {
  'page.title': 'Vérification d’identité',
  'page.step': 'Étape {n} sur {all}',
  'page.language': 'Langue',
  'page.back': 'Retour',
  'page.stop': 'Arrêter la vérification',
  'page.again': 'Réessayer',
  'page.leave': 'Revenir à {name}',
  'page.contact': 'Contacter {name}',
  'page.needs_script':
    'Cette page a besoin de JavaScript. Activez-le dans votre navigateur, puis ouvrez de nouveau le lien.',

  'loading.title': 'Un instant…',
  'loading.late': 'C’est plus long que d’habitude. Vérifiez votre connexion, puis ouvrez de nouveau le lien.',

  'device.title': 'C’est plus facile avec un téléphone',
  'device.text':
    'Vous allez photographier un document et votre visage. L’appareil photo d’un téléphone convient le mieux. Il n’y a rien à installer.',
  'device.text_face':
    'Vous allez photographier votre visage. L’appareil photo d’un téléphone convient le mieux. Il n’y a rien à installer.',
  'device.phone': 'Continuer sur mon téléphone',
  'device.here': 'Utiliser cet ordinateur',

  'consent.title': 'Confirmons que c’est bien vous',
  'consent.text': 'Pour {name}. Cela prend environ deux minutes.',
  'consent.need': 'Il vous faut',
  'consent.need_document': 'votre document d’identité, l’original',
  'consent.need_face': 'votre visage, bien éclairé',
  'consent.use': 'Ce que deviennent vos images',
  'consent.use_document':
    'Elles sont envoyées chiffrées. Un logiciel lit et contrôle votre document, puis compare votre visage à la photo qui s’y trouve.',
  'consent.use_face':
    'Elles sont envoyées chiffrées. Un logiciel compare votre visage à celui que vous avez montré auparavant.',
  'consent.use_biometric':
    'Les données de votre visage sont des données biométriques. Elles ne sont traitées qu’avec votre accord, pour cette vérification.',
  'consent.use_search':
    'Les données de votre visage sont des données biométriques. Elles ne sont traitées qu’avec votre accord : pour cette vérification, et pour savoir, maintenant et plus tard, si {name} connaît votre visage sous un autre nom.',
  'consent.chip':
    'La puce de votre document doit aussi être lue. Un navigateur ne le peut pas ; l’application de {name} le peut.',
  'consent.app': 'Continuer dans l’application',
  'consent.location':
    'Votre navigateur demandera votre position : elle est comparée à celle de votre adresse internet. Vous pouvez refuser.',
  'consent.privacy': 'Comment {name} protège vos données (ouvre une autre page)',
  'consent.agree': 'J’accepte et je commence',

  'document.title': 'Quel document avez-vous sous la main ?',
  'document.text': 'Il doit être valide et original : ni copie, ni photo du document.',
  'document.PASSPORT': 'Passeport',
  'document.ID_CARD': 'Carte d’identité',
  'document.DRIVING_LICENSE': 'Permis de conduire',
  'document.RESIDENCE_PERMIT': 'Titre de séjour',
  'document.change': 'J’ai un autre document',

  'passport.title': 'Photographiez votre passeport',
  'passport.text':
    'Ouvrez-le à la page où figure votre photo. Nous en lisons les données et comparons la photo avec votre visage.',
  'passport.camera': 'Page avec votre photo',
  'front.title': 'Photographiez le recto',
  'front.text':
    'C’est le côté où figure votre photo. Nous en lisons les données et comparons la photo avec votre visage.',
  'front.camera': 'Recto du document',
  'back.title': 'Maintenant le verso',
  'back.text': 'Retournez le document. Le verso porte souvent les données sous une forme que nous pouvons contrôler.',
  'back.camera': 'Verso du document',
  'selfie.title': 'Prenez votre visage en photo',
  'selfie.text': 'Nous le comparons à la photo de votre document.',
  'selfie.text_face': 'Nous le comparons au visage que vous avez montré auparavant.',
  'selfie.camera': 'Votre visage',
  'tip.surface': 'Posez-le à plat sur une surface unie et plus sombre.',
  'tip.edges': 'Montrez-le en entier, avec un peu de la surface autour.',
  'tip.glare': 'Évitez les reflets et les ombres.',
  'tip.light': 'La lumière doit venir de face, pas de derrière.',
  'tip.cover': 'Retirez chapeau, lunettes de soleil ou masque.',
  'tip.alone': 'Vous devez être seul sur la photo.',
  'picture.open': 'Ouvrir l’appareil photo',
  'picture.permission': 'Votre navigateur va demander l’accès à l’appareil photo. Veuillez l’autoriser.',
  'picture.file': 'Choisir plutôt une photo',
  'picture.keep': 'Garder ma photo',

  'camera.opening': 'Ouverture de l’appareil photo…',
  'camera.take': 'Prendre la photo',
  'camera.auto': 'La photo se prend toute seule dès qu’elle est bonne.',
  'camera.by_hand': 'Elle ne se prend pas toute seule ? Appuyez sur le bouton.',
  'camera.by_hand_document':
    'Elle ne se prend pas toute seule ? Appuyez sur le bouton ou posez le document sur une surface unie.',
  'camera.view': 'Image de l’appareil photo',
  'camera.choose': 'Appareil photo',
  'camera.number': 'Appareil photo {n}',
  'camera.light_on': 'Allumer la lumière',
  'camera.light_off': 'Éteindre la lumière',

  'hint.FIND_DOCUMENT': 'Placez le document dans le cadre',
  'hint.COME_CLOSER': 'Rapprochez-vous',
  'hint.SHOW_ALL': 'Montrez-le en entier',
  'hint.HOLD_STILL': 'Ne bougez plus',
  'hint.MORE_LIGHT': 'Il faut plus de lumière',
  'hint.LESS_LIGHT': 'Trop clair : détournez-vous de la lumière',
  'hint.AVOID_GLARE': 'Inclinez-le un peu : il y a un reflet',
  'hint.FIND_FACE': 'Regardez l’appareil photo',
  'hint.ONE_PERSON': 'Vous seul, s’il vous plaît',
  'hint.CENTRE_FACE': 'Placez votre visage dans l’ovale',
  'hint.MOVE_BACK': 'Reculez un peu',
  'hint.LOOK_AHEAD': 'Regardez droit devant vous',
  'hint.OPEN_EYES': 'Ouvrez les yeux',
  'hint.TAKE_OFF_COVER': 'Montrez tout votre visage, découvert',
  'hint.TURN_LEFT': 'Tournez la tête vers votre gauche',
  'hint.TURN_RIGHT': 'Tournez la tête vers votre droite',
  'hint.BLINK': 'Fermez un instant les deux yeux',
  'hint.OPEN_MOUTH': 'Ouvrez grand la bouche',
  'hint.LOOK_UP': 'Levez les yeux et la tête',
  'hint.GOOD': 'Bien, restez ainsi',

  'nocamera.camera_refused.title': 'L’appareil photo est bloqué',
  'nocamera.camera_refused.text':
    'Autorisez l’appareil photo dans votre navigateur : touchez le symbole à côté de l’adresse, ou ouvrez les réglages du navigateur pour cette page. Puis réessayez.',
  'nocamera.camera_missing.title': 'Aucun appareil photo',
  'nocamera.camera_missing.text':
    'Nous n’avons trouvé aucun appareil photo sur cet appareil. Utilisez un téléphone, ou choisissez une photo que vous prenez maintenant. Si le lien s’est ouvert dans une autre application, ouvrez-le dans votre navigateur.',
  'nocamera.camera_busy.title': 'L’appareil photo ne répond pas',
  'nocamera.camera_busy.text':
    'Une autre application l’utilise peut-être. Fermez les autres applications qui montrent son image, puis réessayez.',
  'nocamera.files': 'Continuer avec des photos',

  'sending.title': 'Nous regardons votre photo…',
  'sending.yours': 'Votre photo',

  'advice.title': 'Cette photo pourrait être meilleure',
  'advice.retake': 'La reprendre',
  'advice.keep': 'L’utiliser quand même',
  'advice.left': 'Vous pouvez la reprendre encore {n} fois.',
  'advice.left_one': 'Vous pouvez la reprendre encore une fois.',
  'advice.left_none': 'Elle ne peut plus être reprise.',
  'advice.other': 'Quelque chose n’y est pas assez net.',
  'advice.IMAGE_LOW_RESOLUTION':
    'Elle montre trop peu de détails. Utilisez l’appareil photo, pas une petite copie d’une photo.',
  'advice.IMAGE_BLURRED':
    'Elle est floue. Essuyez l’objectif, ne bougez pas et laissez l’appareil faire la mise au point.',
  'advice.IMAGE_TOO_DARK': 'Elle est trop sombre. Allez là où il y a plus de lumière.',
  'advice.IMAGE_TOO_BRIGHT': 'Elle est trop claire. Détournez-vous de la lumière.',
  'advice.DOCUMENT_TOO_SMALL': 'Le document y est trop petit. Rapprochez-vous.',
  'advice.DOCUMENT_CUT_OFF': 'Le document est coupé. Montrez-le en entier, avec un peu de la surface autour.',
  'advice.DOCUMENT_GLARE': 'Un reflet cache une partie du document. Inclinez-le, ou éteignez le flash.',
  'advice.EXPIRED_DOCUMENT': 'Ce document a expiré. Utilisez-en un encore valable.',
  'advice.UNSUPPORTED_DOCUMENT': 'Ce type de document n’est pas accepté. Montrez-en un autre.',
  'advice.HEALTH_CARD':
    'C’est une carte d’assurance maladie. Elle n’est pas acceptée : montrez un passeport, une carte d’identité, un titre de séjour ou un permis de conduire.',
  'advice.CHEQUE':
    'C’est un chèque. Il n’est pas accepté : montrez un passeport, une carte d’identité, un titre de séjour ou un permis de conduire.',
  'advice.DOCUMENT_NOT_READABLE':
    'Nous n’avons pas pu le lire. Est-ce la bonne page ou le bon côté ? Posez-le à plat, montrez-le en entier, sans ombres ni reflets.',
  'advice.DOCUMENT_SIDE_MISSING': 'Il nous faut aussi l’autre côté du document.',
  'advice.DOCUMENT_PORTRAIT_MISSING': 'Nous n’y avons pas trouvé votre photo. Montrez le côté où elle figure.',
  'advice.LIVENESS_CHALLENGE_FAILED': 'Nous n’avons pas pu voir le mouvement. Faites-le un peu plus nettement.',
  'advice.MIRRORED': 'Vous avez tourné la tête de l’autre côté. Tournez-la dans le sens de la flèche.',
  'advice.LIVENESS_NOT_EVALUABLE': 'Nous n’avons pas assez bien vu votre visage. Cherchez une bonne lumière.',
  'advice.MULTIPLE_FACES_DETECTED': 'Il y a plus d’un visage. Vous devez être seul sur la photo.',
  'advice.NO_FACE_DETECTED': 'Nous n’y avons trouvé aucun visage. Regardez l’appareil photo, bien éclairé.',
  'advice.SELFIE_LOW_QUALITY': 'On ne voit pas assez bien votre visage pour le comparer.',
  'advice.TOO_SMALL': 'Votre visage y est trop petit. Rapprochez-vous.',
  'advice.TURNED_AWAY': 'Votre visage est tourné. Regardez l’appareil photo bien en face.',
  'advice.COVERED': 'Votre visage est en partie couvert. Retirez chapeau, lunettes de soleil ou masque.',
  'advice.EYES_CLOSED': 'Vos yeux sont fermés. Gardez-les ouverts.',
  'advice.BLURRED': 'Votre visage est flou. Ne bougez pas.',

  'refused.title': 'Cette photo ne peut pas servir',
  'refused.unreadable': 'Le fichier est abîmé, ou ce n’est pas une photo.',
  'refused.too_large': 'Le fichier est trop gros, même après réduction.',
  'refused.wrong_type':
    'Les photos peuvent être JPEG, PNG ou WebP. Si la vôtre est HEIC, prenez-la avec l’appareil photo de cette page, ou réglez votre téléphone sur « Le plus compatible ».',
  'refused.repeated': 'Cette photo a déjà servi. Veuillez en prendre une nouvelle.',
  'refused.retake': 'Utiliser une autre photo',

  'live.title': 'Montrez que vous êtes vraiment là',
  'live.text':
    'Nous demandons quelques petits mouvements, comme tourner la tête. Une image de vous ne pourrait pas les suivre.',
  'live.time': 'Le temps est limité, et vous pouvez réessayer.',
  'live.help': 'Si un mouvement vous est impossible, arrêtez ici et demandez une autre solution à {name}.',
  'live.start': 'Commencer',
  'live.of': 'Mouvement {n} sur {all}',
  'live.camera': 'Suivez les mouvements',
  'live.preparing': 'Préparez-vous…',
  'live.stop': 'Arrêter',
  'live.file': 'Choisissez ou prenez une nouvelle photo qui le montre.',
  'live.pick': 'Choisir une photo',
  'live.again': 'Tous les mouvements sont alors redemandés.',
  'live.left': 'Vous pouvez essayer encore {n} fois.',
  'live.left_one': 'Vous pouvez essayer encore une fois.',
  'live.left_none': 'Il n’y a plus d’autre essai.',
  'live.timeout.title': 'Le temps est écoulé',
  'live.timeout.text':
    'Les mouvements doivent se suivre en {time}, pour que personne ne puisse les préparer. Réessayez, tout simplement.',

  'handoff.title': 'Continuez sur votre téléphone',
  'handoff.scan': 'Dirigez l’appareil photo de votre téléphone vers ce code, puis ouvrez le lien affiché.',
  'handoff.code': 'Code QR avec un lien pour votre téléphone',
  'handoff.or': 'Ou envoyez-vous le lien :',
  'handoff.send': 'Envoyez-vous le lien :',
  'handoff.copy': 'Copier le lien',
  'handoff.copied': 'Le lien est copié',
  'handoff.secret': 'Il sert une seule fois, pendant dix minutes. Ne le donnez à personne d’autre.',
  'handoff.recipient': 'Adresse e-mail ou numéro de téléphone (+…)',
  'handoff.deliver': 'Envoyer le lien',
  'handoff.sent': 'Le lien a été envoyé.',
  'handoff.unsent': 'Le lien n’a pas pu être envoyé. Vérifiez votre saisie ou scannez le code.',
  'handoff.here': 'Utiliser plutôt cet ordinateur',

  'follow.title': 'Poursuivez sur votre téléphone',
  'follow.text':
    'Laissez ouvertes cette page et celle de votre téléphone. La suite vient toute seule quand vous aurez terminé.',
  'follow.document_front': 'Recto du document',
  'follow.document_back': 'Verso du document',
  'follow.selfie': 'Photo de votre visage',
  'follow.liveness': 'Mouvements',
  'follow.done': 'fait',
  'follow.open': 'à faire',

  'checking.title': 'Nous vérifions tout…',
  'checking.text': 'Cela prend quelques secondes. Laissez cette page ouverte.',

  'offline.offline.title': 'Vous n’êtes pas connecté',
  'offline.offline.text': 'Rien n’est perdu. Nous continuerons dès que la connexion sera revenue.',
  'offline.busy.title': 'Cela prend un peu plus de temps',
  'offline.busy.text': 'Il y a beaucoup de monde en ce moment. Rien n’est perdu ; nous réessayons dans un instant.',

  'broken.title': 'Un problème est survenu',
  'broken.text': 'C’est notre faute, pas la vôtre. Ce que vous avez photographié est conservé. Veuillez réessayer.',

  'stop.title': 'Arrêter la vérification ?',
  'stop.text':
    'Ce lien ne fonctionnera plus. S’il vous faut seulement une pause, fermez cette page : le même lien vous ramènera ici.',
  'stop.yes': 'Arrêter définitivement',
  'stop.no': 'Continuer',

  'again.title': 'Quelque chose ne se voyait pas assez bien',
  'again.text': 'Vous pouvez réessayer maintenant. Nous ne demandons que ce qui manque ; le reste est conservé.',
  'review.title': 'Une personne s’en occupe',
  'review.text':
    'Vous avez terminé. L’examen peut prendre quelques jours. Votre lien vous montre à tout moment où il en est.',
  'result.APPROVED.title': 'Merci, c’est bien vous',
  'result.APPROVED.text': 'Votre identité est confirmée.',
  'result.REJECTED.title': 'Nous n’avons pas pu confirmer votre identité',
  'result.REJECTED.text': 'Il peut y avoir de nombreuses raisons. {name} peut vous dire que faire maintenant.',
  'result.UNDETERMINED.title': 'Merci, c’est terminé pour vous',
  'result.UNDETERMINED.text': 'Nous n’avons pas pu tout confirmer nous-mêmes. {name} vous dira quelle est la suite.',
  'result.close': 'Vous pouvez fermer cette page.',
  'result.elsewhere': 'Vous pouvez fermer cette page et continuer sur votre ordinateur.',
  'result.auto': 'Vous serez redirigé dans quelques secondes.',
  'result.stay': 'Rester sur cette page',

  'closed.EXPIRED.title': 'Ce lien a expiré',
  'closed.EXPIRED.text': 'Sa durée est écoulée. Demandez un nouveau lien à {name}.',
  'closed.CANCELLED.title': 'La vérification est arrêtée',
  'closed.CANCELLED.text': 'Ce lien ne fonctionne plus. Si vous changez d’avis, demandez-en un nouveau à {name}.',
  'closed.FAILED.title': 'Cette vérification est terminée',
  'closed.FAILED.text': 'Il n’y a pas de résultat. Demandez à {name} s’il vous faut un nouveau lien.',
  'closed.UNKNOWN_LINK.title': 'Ce lien ne fonctionne pas',
  'closed.UNKNOWN_LINK.text':
    'Ouvrez-le de nouveau exactement comme vous l’avez reçu, en entier. Si cela ne suffit pas, demandez-en un nouveau.',
  'closed.USED_LINK.title': 'Ce lien ne sert qu’une fois',
  'closed.USED_LINK.text':
    'Il a déjà servi, ou ses dix minutes sont écoulées. Continuez là où il a été ouvert d’abord, ou affichez un nouveau code sur votre ordinateur.',
  'closed.NO_ATTEMPTS.title': 'C’était le dernier essai',
  'closed.NO_ATTEMPTS.text':
    'Cela n’a pas marché cette fois. Demandez un nouveau lien à {name}, et essayez avec une meilleure lumière.',
}
