extension TerminalText {
    /// The sentence in German.
    var german: String {
        switch self {
        case .optional: "(freiwillig)"
        case .yesOrNoOptions: "(ja, nein)"
        case .again(let label): "\(label), noch einmal: "
        case .notTheSame: "Das ist nicht dasselbe."
        case .lastAttempt: "Das ist der letzte Versuch."
        case .attemptsLeft(let count): "Noch \(count) Versuche."
        case .action("create"): "Mit :create legen Sie ein Konto an."
        case .action("resend"): "Mit :resend bekommen Sie einen neuen Code."
        case .action("back"): "Mit :back kommen Sie zum Schritt davor."
        case .action(let name): "Statt einer Antwort geht auch :\(name)."
        case .noAction(let name, let offered) where offered.isEmpty: "\(name) gibt es hier nicht."
        case .noAction(let name, let offered):
            "\(name) gibt es hier nicht; es gibt \(offered.joined(separator: " und "))."
        case .choice(let value, let label): "\(label): :choose \(value) eingeben."
        case .chooseOne(let names): "Eines wählen (\(names.joined(separator: ", "))): "
        case .timeEnded: "die Zeit für die Antwort ist abgelaufen"

        case .yesOrNo: "Antworten Sie mit ja oder nein."
        case .noDate: "Das ist kein Datum wie 2026-12-24."

        case .signInWithBrowser(let address): "Melden Sie sich mit einem Browser an: \(address)"
        case .browserWords(let words):
            "Fragt die Seite nach zwei Wörtern, geben Sie diese Wörter ein: \(words.joined(separator: " "))"
        case .deviceCode(let page, let code):
            "Öffnen Sie \(page) auf einem beliebigen Gerät, und geben Sie diesen Code ein: \(code)"
        case .deviceCodeHere(let page, let code):
            "Öffnen Sie \(page) in einem Browser dieses Rechners, und geben Sie diesen Code ein: \(code)"
        case .browserGoesOn(let step): "Im Browser geht es weiter: \(step)"
        case .openedBy(let user?, let uid):
            "Geöffnet von \(user) (uid \(uid)). Wenn Sie das nicht erwarten, drücken Sie Strg-C."
        case .openedBy(nil, let uid): "Geöffnet von uid \(uid). Wenn Sie das nicht erwarten, drücken Sie Strg-C."
        case .openedFrom(let address): "Geöffnet von \(address). Wenn Sie das nicht erwarten, drücken Sie Strg-C."
        case .openPrintedLink:
            "Diese Adresse gilt einmal, eine Minute lang, für eine Person an diesem Rechner. Öffnen Sie den Link, den das Terminal zeigt."
        case .waitsForBrowser(let minutes):
            "Warten auf den Browser, höchstens \(minutes) min. Strg-C beendet es."

        case .cancelled: "abgebrochen"
        case .signedOut(let program): "Sie sind abgemeldet. Melden Sie sich mit `\(program) sign-in` an."
        case .nobody: "niemand ist angemeldet"
        case .nobodyHint(let program): "`\(program) sign-in`, oder `\(program) sign-up` für ein neues Konto"
        case .proofMissing:
            "Sie sind angemeldet, aber dafür ist ein weiterer Nachweis nötig, und kein Terminal ist da, um danach zu fragen."
        case .runInTerminal: "rufen Sie es in einem Terminal auf"
        case .noTerminal(let questions): "es gibt kein Terminal, um nach \(questions) zu fragen"
        case .runInTerminalOrWith(let options):
            "rufen Sie es in einem Terminal auf, oder mit \(options.joined(separator: " "))"
        case .noLine(let label): "die Standardeingabe hat keine Zeile für \(label)"
        case .unknownAnswer(let name): "--answer \(name): danach wird nicht gefragt"
        case .asksFor(let names): "gefragt wird nach \(names.joined(separator: ", "))"
        case .secretName(let name): "\(name) (mit --password-stdin)"
        case .nothingAskedForIt(let name): "Warnung: --answer \(name): danach wurde nicht gefragt"
        case .retry(let seconds): "versuchen Sie es in \(seconds) s noch einmal"
        case .signInBy(let command): "melden Sie sich mit `\(command)` an"
        case .accountsLists: "`accounts` zählt sie auf"
        case .clientsLists: "`tokenbroker client list`"
        case .doctor: "`tokenbroker doctor` sucht nach der Ursache"
        case .notRunning(let places):
            "tokenbrokerd läuft nicht: niemand lauscht an \(places.joined(separator: " oder "))"
        case .startIt:
            "starten Sie ihn mit `tokenbrokerd` oder `systemctl start tokenbroker.socket`; \(Self.doctor.german)"
        case .severalAccounts(let count): "es gibt \(count) Konten, und keines wurde genannt"
        case .account(let option, let username): "\(option) ist \(username)"
        case .signedOutMeanwhile: "das Konto wurde inzwischen abgemeldet"
        case .noCommand(let command, nil): "einen Befehl `\(command)` gibt es nicht"
        case .noCommand(let command, let nearest?):
            "einen Befehl `\(command)` gibt es nicht; meinten Sie `\(nearest)`?"
        case .notInThisVersion(let command): "`\(command)` gibt es in dieser Version nicht"
        case .help(let command): "`\(command) --help` sagt, was es gibt"
        case .noSecrets: "Geheimnisse gehören nie in die Befehlszeile; nehmen Sie --password-stdin."
        case .longLine: "eine Zeile der Standardeingabe ist zu lang"
        case .browserOrDevice: "--browser, --device, --localhost und --paste schließen einander aus"
        case .portOfLocalhost: "--port steht bei --localhost und ist 1 bis 65535"

        case .signedIn(let name): "Angemeldet als \(name)."
        case .signedUp(let name): "Konto angelegt: \(name)."
        case .tokens(let count): "Token: \(count)"
        case .sessions(let count): "Sitzungen: \(count)"
        case .flows(let count): "Abläufe: \(count)"
        case .signedOutOf(let removed): "Abgemeldet und entfernt: \(removed.joined(separator: ", "))."
        case .left(let what): "Bleibt noch, wird wieder versucht: \(what)"
        case .accountHeading: "KONTO"
        case .usernameHeading: "BENUTZERNAME"
        case .nameHeading: "ANZEIGENAME"
        case .policiesHeading: "RICHTLINIEN"
        }
    }
}
