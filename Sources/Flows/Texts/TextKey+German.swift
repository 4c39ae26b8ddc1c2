extension TextKey {
    /// The sentence in German.
    var german: String {
        switch self {
        case .attributesTitle: "Konto anlegen"
        case .signInTitle: "Anmelden"
        case .codeTitle: "Geben Sie den Code aus der E-Mail ein"
        case .pinTitle: "PIN eingeben"
        case .pinSetupTitle: "PIN wählen"
        case .totpTitle: "Code aus der App eingeben"
        case .totpSetupTitle: "Authenticator-App hinzufügen"
        case .recoveryTitle: "Wiederherstellungscodes aufbewahren"
        case .totpCode: "Code aus der App"
        case .totpHint: "Sechs Ziffern, oder einer Ihrer Wiederherstellungscodes."
        case .totpPicture: "Zum Scannen"
        case .totpKey: "Schlüssel zum Eintippen"
        case .recoveryCode: "Wiederherstellungscode {number}"
        case .recoveryKept: "Ich habe sie aufbewahrt"
        case .totpWrong: "Dieser Code stimmt nicht oder wurde schon benutzt."
        case .totpSetupWrong: "Das ist nicht der jetzige Code dieses Schlüssels; prüfen Sie die Uhr des Geräts."
        case .totpMalformed: "Ein Code hat 6 Ziffern, ein Wiederherstellungscode 10 Buchstaben und Ziffern."
        case .recoveryNotKept: "Bewahren Sie die Codes erst auf: Sie werden nicht noch einmal gezeigt."
        case .consentTitle: "Zugriff erlauben"
        case .resetTitle: "Kennwort vergessen?"
        case .newPasswordTitle: "Neues Kennwort wählen"
        case .profileTitle: "Profil bearbeiten"

        case .newPassword: "Neues Kennwort"
        case .password: "Kennwort"
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
        case .jobTitle: "Beruf"
        case .streetAddress: "Straße und Hausnummer"
        case .postalCode: "Postleitzahl"
        case .city: "Ort"
        case .state: "Bundesland oder Kanton"
        case .country: "Land oder Region"
        case .preferredLanguage: "Bevorzugte Sprache"

        case .interrupted: "Die letzte Antwort konnte nicht geprüft werden. Bitte antworten Sie noch einmal."
        case .wrong: "Das stimmt nicht."
        case .expired: "Das hat zu lange gedauert. Bitte antworten Sie noch einmal."
        case .credentialsWrong: "Der Name oder das Kennwort stimmt nicht."
        case .pinNeeded: "Diese Daten verlangen eine PIN."
        case .pinWrong: "Diese PIN stimmt nicht."
        case .codeWrong: "Dieser Code stimmt nicht."
        case .codeExpired: "Der Code ist abgelaufen. Fordern Sie einen neuen an."
        case .codeTooSoon: "Ein neuer Code ist in {seconds} s möglich."
        case .codeSent: "Ein Code wurde an {hint} gesendet."
        case .codeInOutbox: "Ein Code wurde an {hint} gesendet (im Postausgang {outbox})."
        case .nameTaken: "Ein Konto mit diesem Namen gibt es schon."
        case .providerDenied: "Der andere Dienst hat Sie nicht angemeldet."
        case .providerNoAccount:
            "Mit dieser Anmeldung hat hier niemand ein Konto. Registrieren Sie sich zuerst, oder wählen Sie einen anderen Weg."

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

        case .passwordTooShort: "Ein Kennwort braucht mindestens {least} Zeichen."
        case .passwordTooLong: "Ein Kennwort hat höchstens {most} Zeichen."
        case .passwordTooFewClasses:
            "Ein Kennwort braucht {classes} von diesen: Kleinbuchstaben, Großbuchstaben, Ziffern, Symbole."
        case .passwordNotAllClasses:
            "Ein Kennwort braucht Kleinbuchstaben, Großbuchstaben, Ziffern und Symbole."
        case .passwordLength: "Ein Kennwort hat {least} bis {most} Zeichen."
        case .passwordClasses:
            "Ein Kennwort hat {least} bis {most} Zeichen und {classes} von diesen: Kleinbuchstaben, Großbuchstaben, Ziffern, Symbole."
        case .passwordAllClasses:
            "Ein Kennwort hat {least} bis {most} Zeichen, darunter Kleinbuchstaben, Großbuchstaben, Ziffern und Symbole."

        case .codeMailSubject: "Ihr Code"
        case .codeMail:
            """
            Ihr Code ist

            {code}

            Er gilt einmal, zehn Minuten lang. Wenn Sie ihn nicht angefordert haben, beachten Sie diese E-Mail nicht, und geben Sie den Code niemandem.

            """
        case .notInvitedMailSubject: "Konto nur mit Einladung"
        case .notInvitedMail:
            """
            Jemand wollte mit dieser Adresse ein Konto anlegen. Dazu ist eine Einladung nötig, und für diese Adresse gibt es keine.

            Wenn Sie es waren, bitten Sie einen Betreiber um eine. Wenn nicht, tun Sie nichts.

            """
        case .accountExistsMailSubject: "Sie haben schon ein Konto"
        case .accountExistsMail:
            """
            Jemand wollte mit dieser Adresse ein Konto anlegen. Sie haben schon ein Konto.

            Wenn Sie es waren, melden Sie sich stattdessen an. Wenn nicht, tun Sie nichts.

            """
        }
    }
}
