extension TextKey {
    /// The sentence in German.
    var german: String {
        switch self {
        case .attributesTitle: "Registrieren"
        case .signInTitle: "Anmelden"
        case .codeTitle: "Geben Sie den Code aus der E-Mail ein"
        case .pinTitle: "PIN eingeben"
        case .pinSetupTitle: "PIN wählen"
        case .consentTitle: "Zugriff erlauben"

        case .newPassword: "Neues Passwort"
        case .password: "Passwort"
        case .code: "Code"
        case .pin: "PIN"
        case .newPIN: "Neue PIN"
        case .allow: "Erlauben"
        case .emailOrUsername: "E-Mail-Adresse oder Benutzername"

        case .email: "E-Mail-Adresse"
        case .username: "Benutzername"
        case .displayName: "Anzeigename"
        case .givenName: "Vorname"
        case .surname: "Nachname"
        case .jobTitle: "Berufsbezeichnung"
        case .streetAddress: "Straße und Hausnummer"
        case .postalCode: "Postleitzahl"
        case .city: "Ort"
        case .state: "Bundesland oder Provinz"
        case .country: "Land oder Region"
        case .preferredLanguage: "Bevorzugte Sprache"

        case .interrupted: "Die letzte Antwort konnte nicht geprüft werden. Bitte antworten Sie noch einmal."
        case .wrong: "Das ist nicht richtig."
        case .expired: "Das hat zu lange gedauert. Bitte antworten Sie noch einmal."
        case .credentialsWrong: "Der Name oder das Passwort ist nicht richtig."
        case .pinNeeded: "Diese Daten verlangen eine PIN."
        case .pinWrong: "Diese PIN stimmt nicht."
        case .codeWrong: "Dieser Code ist nicht richtig."
        case .codeExpired: "Der Code ist abgelaufen. Fordern Sie einen neuen an."
        case .codeSent: "Ein Code wurde an {hint} gesendet."
        case .codeInOutbox: "Ein Code wurde an {hint} gesendet (im Postausgang {outbox})."
        case .nameTaken: "Ein Konto mit diesem Namen gibt es schon."

        case .missing: "Hier fehlt eine Antwort."
        case .notText: "Das muss Text sein."
        case .notBoolean: "Das muss true oder false sein."
        case .notWhole: "Das muss eine ganze Zahl sein."
        case .tooShort: "Es müssen mindestens {least} Zeichen sein."
        case .tooLong: "Es sind höchstens {most} Zeichen möglich."
        case .notAnOption: "Mögliche Antworten sind {options}."
        case .malformed: "Das ist nicht so geschrieben, wie es sein muss."
        case .noAddress: "Das ist keine E-Mail-Adresse wie zum Beispiel ann@example.org."
        case .forbiddenCharacters: "Das enthält Zeichen, die sich nicht anzeigen lassen."
        case .codeDigits: "Ein Code hat {digits} Ziffern."
        case .notAsked: "Danach wurde nicht gefragt."
        case .notFilledIn: "Das lässt sich nicht im Voraus ausfüllen."
        case .tooManyAnswers: "Es sind höchstens {most} Antworten möglich."
        case .tooManyBytes: "Die Antworten dürfen zusammen höchstens {most} Bytes lang sein."

        case .pinTooShort: "Eine PIN braucht mindestens {least} Zeichen."
        case .pinTooLong: "Eine PIN hat höchstens {most} Zeichen."
        case .pinDigits: "Eine PIN hat nur Ziffern."
        case .pinRuleDigits: "Eine PIN hat {least} bis {most} Ziffern."
        case .pinRule: "Eine PIN hat {least} bis {most} Zeichen."

        case .passwordTooShort: "Ein Passwort braucht mindestens {least} Zeichen."
        case .passwordTooLong: "Ein Passwort hat höchstens {most} Zeichen."
        case .passwordTooFewClasses:
            "Ein Passwort braucht {classes} von diesen: Kleinbuchstaben, Großbuchstaben, Ziffern, Sonderzeichen."
        case .passwordNotAllClasses:
            "Ein Passwort braucht Kleinbuchstaben, Großbuchstaben, Ziffern und Sonderzeichen."
        case .passwordLength: "Ein Passwort hat {least} bis {most} Zeichen."
        case .passwordClasses:
            "Ein Passwort hat {least} bis {most} Zeichen und {classes} von diesen: Kleinbuchstaben, Großbuchstaben, Ziffern, Sonderzeichen."
        case .passwordAllClasses:
            "Ein Passwort hat {least} bis {most} Zeichen, darunter Kleinbuchstaben, Großbuchstaben, Ziffern und Sonderzeichen."

        case .codeMailSubject: "Ihr Code"
        case .codeMail:
            """
            Jemand, hoffentlich Sie, hat diesen Code angefordert:

            {code}

            Er gilt einmal und nur wenige Minuten. Wenn Sie ihn nicht angefordert haben, tun Sie nichts, und sagen Sie ihn niemandem.

            """
        case .notInvitedMailSubject: "Registrieren nur mit Einladung"
        case .notInvitedMail:
            """
            Jemand, hoffentlich Sie, wollte sich mit dieser Adresse registrieren. Dazu ist eine Einladung nötig, und für diese Adresse gibt es keine.

            Wenn Sie es waren, bitten Sie einen Betreiber um eine. Wenn nicht, tun Sie nichts.

            """
        case .accountExistsMailSubject: "Sie haben schon ein Konto"
        case .accountExistsMail:
            """
            Jemand, hoffentlich Sie, wollte sich mit dieser Adresse registrieren. Sie haben schon ein Konto.

            Wenn Sie es waren, melden Sie sich stattdessen an. Wenn nicht, tun Sie nichts.

            """
        }
    }
}
