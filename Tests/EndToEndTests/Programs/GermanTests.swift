import Foundation
import OAuth
import TestSupport
import Testing

/// End-to-end tests of the German messages of the command-line programs.
///
/// Output for other programs, such as JSON, must not be translated.
@Suite(.timeLimit(.minutes(5)))
struct GermanTests {
    /// Environment variables that select German with `LC_MESSAGES`, because `LC_ALL` is empty.
    private static let german = ["LC_ALL": "", "LC_MESSAGES": "de_DE.UTF-8"]

    private func end(_ programs: RunningProgram...) {
        for program in programs {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("pending tasks, conflicts, files and purges are reported in German, and in JSON as in English")
    func offline() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        func tasks(_ arguments: [String], input: String = "") throws -> BuiltProgram.Outcome {
            try machine.tasks(arguments, input: input, environment: Self.german)
        }
        #expect(try tasks(["status"]).output == "Es warten keine Änderungen. Der Server hat alle.\n")
        #expect(try tasks(["sync"]).output == "Gesendet: 0, empfangen: 0\n")
        let imported = try tasks(["import", "-", "--format", "csv"], input: "text\nMilch\n")
        #expect(imported.output == "1 angelegt, 0 geändert, 1 in der Datei\n", "\(imported.errors)")
        let unreadable = try tasks(["import", "-", "--format", "csv"], input: "text,due\nMilch,morgen\n")
        #expect(
            unreadable.errors
                == """
                tasks: error: Die Datei ist nicht lesbar: due in Zeile 2 muss ein Datum sein
                hint: Es wurde nichts importiert.

                """
        )
        #expect(try tasks(["add", "Brot", "--id", "brot", "--offline"]).output == "Angelegt, brot: Brot\n")
        let status = try tasks(["status"]).output
        #expect(status.contains("ÄNDERUNG") && status.contains("neu") && status.contains("wartet"), "\(status)")
        #expect(try tasks(["status", "--json"]).output.contains(#""operation":"insert","state":"pending""#))
        let kept = try tasks(["purge"])
        #expect(kept.status == 1 && kept.errors.contains("Einige Ihrer Änderungen hat der Server noch nicht."))
        let purged = try tasks(["purge", "--force"])
        #expect(purged.output == "Von diesem Rechner entfernte Aufgaben: 2.\n")
        #expect(purged.errors == "hint: Mit `tasks sync --full` holen Sie die Aufgaben wieder.\n")
        let choice = try tasks(["resolve", "brot"])
        #expect(
            choice.status == 64 && choice.errors.contains("Wählen Sie eine der Optionen --mine, --theirs und --delete.")
        )
        let french = ["LC_ALL": "fr_FR.UTF-8"]
        #expect(
            try machine.tasks(["status"], environment: french).output
                == "No edits are waiting. The server has all your changes.\n"
        )
        let second = french.merging(["LANGUAGE": "fr:de"]) { $1 }
        #expect(
            try machine.tasks(["status"], environment: second).output
                == "Es warten keine Änderungen. Der Server hat alle.\n"
        )
        end(api, broker)
    }

    @Test("lists, results and argument errors are German, and in JSON they are not translated") func results() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        let person = Person.random()
        try machine.signUp(person)
        func tasks(_ arguments: [String]) throws -> BuiltProgram.Outcome {
            try machine.tasks(arguments, environment: Self.german)
        }
        func tokenbroker(_ arguments: [String]) throws -> BuiltProgram.Outcome {
            try machine.tokenbroker(arguments, environment: Self.german)
        }
        #expect(try tasks(["add", "Brot", "--id", "brot", "--due", "2027-01-02", "--priority", "1"]).status == 0)
        #expect(try tasks(["add", "Milch", "--id", "milch"]).status == 0)
        #expect(try tasks(["done", "milch"]).output == "Erledigt: Milch\n")
        #expect(try tasks(["edit", "brot", "Zwei Brote", "--offline"]).status == 0)
        let list = try tasks(["list", "--all", "--offline"]).output
        for word in ["STATUS", "FÄLLIG", "PRIO", "AUFGABE", "wartet", "erledigt"] {
            #expect(list.contains(word), "\(list)")
        }
        let json = try tasks(["list", "--all", "--offline", "--json"]).output
        #expect(json.contains(#""sync":"pending""#) && json.contains(#""complete":true"#), "\(json)")
        for (arguments, sentence) in [
            (["list", "--limit=-1"], "--limit muss mindestens 0 sein."),
            (["add", " "], "Der Text der Aufgabe fehlt. Rufen Sie `tasks add TEXT` auf."),
            (["edit", "brot"], "keine Änderung angegeben"), (["add", "x", "--due", "bald"], "Das Datum muss"),
            (["lisst"], "Einen Befehl `tasks lisst` gibt es nicht. Meinten Sie `list`?"),
            (["list", "--al"], "Eine Option '--al' gibt es nicht. Meinten Sie '--all'?"),
            (["add"], "Es fehlt <text> ..."), (["sync", "--push", "--pull"], "--push und --pull schließen"),
            (["sign-in", "--password", "x"], "Geheimnisse gehören nie in die Befehlszeile"),
        ] {
            let refused = try tasks(arguments)
            #expect(refused.status == 64 && refused.errors.contains(sentence), "\(arguments): \(refused.errors)")
            #expect(refused.errors.contains(" --help` zeigt die Hilfe."), "\(refused.errors)")
        }
        let nothing = try tasks(["done", "nichts"])
        #expect(nothing.status == 1 && nothing.errors.contains("Es gibt keine Aufgabe nichts."), "\(nothing.errors)")
        for (arguments, words) in [
            (["accounts"], ["KONTO", "BENUTZERNAME", "RICHTLINIEN"]), (["scopes"], ["BERECHTIGUNG"]),
            (["tokens"], ["GILT BIS", "ANWENDUNG"]), (["policies"], ["RICHTLINIE", "ANZEIGENAME"]),
            (["status"], ["läuft seit", "Token-Cache:"]), (["whoami"], ["angemeldet über"]),
            (["use", person.email], ["Ab jetzt als \(person.email)."]), (["audit"], ["ZEIT", "EREIGNIS"]),
            (["sign-out"], ["Abgemeldet. Entfernt: Token: "]),
        ] {
            let told = try tokenbroker(arguments)
            for word in words {
                #expect(told.status == 0 && told.output.contains(word), "\(told.output)\(told.errors)")
            }
        }
        let balance = try tasks(["balance"])
        #expect(balance.status == 77 && balance.errors.contains("Sie sind abgemeldet."), "\(balance.errors)")
        end(api, broker)
    }

    @Test("output of doctor and backup is German, and in JSON it is not") func doctorAndBackup() throws {
        let machine = try Machine()
        let absent = try machine.tokenbroker(["doctor"], environment: Self.german)
        #expect(absent.output.contains("Problem: \(machine.socket): Es gibt keinen Socket."), "\(absent.output)")
        #expect(absent.output.contains("   Abhilfe: Starten Sie den Dienst"), "\(absent.output)")
        let daemon = try machine.startBroker()
        let arguments = [
            "doctor", "--config", machine.configuration, "--policies", machine.policies, "--state-directory",
            machine.state,
        ]
        let german = try machine.tokenbroker(arguments, environment: Self.german).output
        for sentence in [
            "ok: \(machine.socket): Dort lauscht Prozess \(daemon.pid) von uid \(getuid()).",
            "ok: Der Dienst antwortete in ",
            "ok: Die Richtlinie b2c_1_sign_in ist aktiv.", "Hinweis: Sie sind nicht angemeldet",
            "ok: Die Konfiguration und die Richtlinien sind gültig.", "ist bereit",
            "Nur der Besitzer hat Zugriff auf \(machine.state).", "MiB sind frei",
            "das nur für die Entwicklung gedacht ist", "Die Uhr zeigt",
        ] {
            #expect(german.contains(sentence), "\(sentence) in \(german)")
        }
        let english = try machine.tokenbroker(arguments).output
        let lines = english.split(separator: "\n").filter { !$0.contains("are free on") && !$0.contains(" ms") }
        #expect(lines.count > 10)
        for line in lines { #expect(!german.contains(line), "\(line)") }
        let json = try machine.tokenbroker(arguments + ["--json"], environment: Self.german).output
        #expect(json.contains("The daemon responded in") && !json.contains("Dienst"), "\(json)")

        let file = machine.folder.path("backup")
        let made = try machine.tokenbroker(["backup", file], environment: Self.german)
        #expect(made.status == 0, "\(made.errors)")
        let again = try machine.tokenbroker(["backup", file], environment: Self.german)
        #expect(again.errors == "tokenbroker: error: \(file) gibt es schon.\nhint: Geben Sie eine andere Datei an.\n")
        let nowhere = try machine.tokenbroker(["backup", file + "/no/such"], environment: Self.german)
        #expect(nowhere.status == 1 && nowhere.errors.contains("kann nicht angelegt werden: "), "\(nowhere.errors)")
        end(daemon)
    }

    @Test("every sentence of the help has a German translation", arguments: ["tasks", "tokenbroker"])
    func help(_ program: String) throws {
        let dump = try BuiltProgram(program).run(["--experimental-dump-help"])
        let root = try #require(try StrictJSON.parse(Array(dump.output.utf8))["command"])
        var pending: [([String], JSONValue)] = [([], root)]
        var count = 0
        while let (path, command) = pending.popLast() {
            for child in command["subcommands"]?.array ?? [] where child["commandName"] != "help" {
                pending.append((path + [try #require(child["commandName"]?.string)], child))
            }
            let page = try BuiltProgram(program).run(path + ["--help"], environment: Self.german)
            #expect(page.status == 0 && page.output.hasPrefix("ÜBERBLICK: ") && page.output.contains("\nAUFRUF: "))
            #expect(!page.output.contains("OPTIONS:") && !page.output.contains("SUBCOMMANDS:"))
            let text = Self.unwrapped(page.output)
            let sentences = ([command] + (command["arguments"]?.array ?? [])).flatMap { part in
                [part["abstract"]?.string, part["discussion"]?.string].compactMap { $0 }
            }
            // Indented lines contain commands and exit codes, which are not translated.
            for sentence in sentences.flatMap({ $0.split(separator: "\n") }) where !sentence.hasPrefix(" ") {
                count += 1
                #expect(!text.contains(Self.unwrapped(String(sentence))), "\(path): \(sentence)")
            }
        }
        #expect(count > 80)
        let english = try BuiltProgram(program).run(["--help"])
        #expect(english.output.hasPrefix("OVERVIEW: ") && english.output.contains("\nACCOUNT:\n"))
    }

    /// Returns the text as a single line.
    private static func unwrapped(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test("errors of the daemon or a library are German as well, and in JSON they are not") func errors() throws {
        let machine = try Machine()
        let absent = try machine.tokenbroker(["policies"], environment: Self.german)
        #expect(absent.errors.contains("tokenbrokerd läuft nicht"), "\(absent.errors)")
        let broker = try machine.startBroker()
        try machine.signUp(.random())
        for (arguments, sentence) in [
            (
                ["token", "--scope", "nope"],
                "Eine Berechtigung nope gibt es nicht. `tokenbroker scopes` zeigt alle Berechtigungen."
            ),
            (["token", "--client", "nobody"], "Eine Anwendung nobody gibt es nicht."),
            (["client", "add", "a\u{202E}b"], "Der Name einer Anwendung muss 1 bis 100 druckbare Zeichen haben."),
            (["group", "list", "nope"], "Eine Gruppe mit diesem Namen gibt es nicht."),
            (["user", "show", "nobody@example.org"], "Diesen Benutzer gibt es nicht."),
            (["user", "invite", "bob"], "Das ist keine gültige E-Mail-Adresse."),
            (["keys", "revoke", "nope"], "Einen Signaturschlüssel mit dieser Kennung gibt es nicht."),
            (["authority", "remove", "nope"], "Sie haben keinen Aussteller mit diesem Namen hinzugefügt."),
            (["request", "https://elsewhere.example/"], "Token werden nicht gesendet an https://elsewhere.example."),
            (["pin", "change"], "Sie haben keine PIN."), (["totp", "remove"], "Sie haben keinen Authenticator."),
            (["exec"], "das aufgerufen werden soll, fehlt"),
        ] {
            let refused = try machine.tokenbroker(arguments, environment: Self.german)
            #expect(refused.status != 0 && refused.errors.contains(sentence), "\(arguments): \(refused.errors)")
        }
        let json = try machine.tokenbroker(["token", "--scope", "nope", "--json"], environment: Self.german)
        #expect(
            json.errors.contains("There is no scope named nope. List the scopes with `tokenbroker scopes`."),
            "\(json.errors)"
        )
        #expect(!json.errors.contains("\"key\"") && !json.errors.contains("\"parameters\""), "\(json.errors)")
        let filter = try machine.tasks(["list", "--offline", "--filter", "nope == 1"], environment: Self.german)
        #expect(filter.errors.contains("Es gibt keine Spalte 'nope'"), "\(filter.errors)")
        let api = try machine.startTasks()
        let there = try machine.tasks(["list", "--filter", "nope == 1"], environment: Self.german)
        #expect(there.status == 64 && there.errors.contains("--filter: Es gibt keine Spalte 'nope'"))
        #expect(!there.errors.contains("(an Stelle"), "\(there.errors)")
        // The API refuses the edit. The store saves the edit with the message key of the error.
        let long = ["add", String(repeating: "x", count: 4097), "--id", "long"]
        let refused = try machine.tasks(long, environment: Self.german)
        let sentence = "'text' darf höchstens 4096 Zeichen haben"
        #expect(refused.status == 1 && refused.errors.contains(sentence), "\(refused.errors)")
        let conflicts = try machine.tasks(["conflicts"], environment: Self.german)
        #expect(conflicts.output.contains(sentence), "\(conflicts.output)")
        let kept = try machine.tasks(["conflicts", "--json"], environment: Self.german)
        #expect(kept.output.contains("'text' can have at most 4096 characters"), "\(kept.output)")
        end(api, broker)
    }

    @Test("a conflict is shown and resolved in German") func conflict() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        let person = Person.random()
        try machine.signUp(person)
        func tasks(_ arguments: [String]) throws -> BuiltProgram.Outcome {
            try machine.tasks(arguments, environment: Self.german)
        }
        #expect(try tasks(["add", "Brot", "--id", "brot"]).status == 0)
        #expect(try tasks(["edit", "brot", "Zwei Brote", "--offline"]).status == 0)
        let device = ["--data-directory", machine.folder.path("other"), "--account", person.email]
        #expect(try tasks(["edit", "brot", "Kein Brot"] + device).status == 0)
        let sync = try tasks(["sync"])
        #expect(sync.status == 1 && sync.output.contains("HIER") && sync.output.contains("SERVER"), "\(sync.output)")
        #expect(sync.output.contains("brot  geändert: beide Seiten haben die Aufgabe geändert"), "\(sync.output)")
        #expect(sync.errors.contains("1 Änderung wurde abgelehnt oder steht im Konflikt."), "\(sync.errors)")
        #expect(try tasks(["status"]).output.contains("entscheiden müssen: 1. Rufen Sie `tasks conflicts` auf."))
        // A sync without a terminal does not count as having shown the conflict to the user.
        #expect(try tasks(["conflicts"]).output.contains("brot  geändert: beide Seiten haben die Aufgabe geändert"))
        #expect(try tasks(["resolve", "brot", "--mine"]).output == "Entschieden: brot\n")
        end(api, broker)
    }

    @Test("prompts, refusals and hints at a terminal are German") func terminal() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let asked = try machine.atTerminal(
            "tokenbroker",
            ["sign-up"],
            answers: [
                "E-Mail-Adresse=ann", "E-Mail-Adresse=ann@example.org", "Anzeigename=", "Anzeigename=Ann", "Ort=",
                "Mannschaft=", "Neues Kennwort=kurz", "Neues Kennwort=Correct-horse-7",
                "Neues Kennwort wiederholen=Correct-horse-8", "Neues Kennwort=Correct-horse-7",
                "Neues Kennwort wiederholen=Correct-horse-7", "Code=12", "Code=:back", "E-Mail-Adresse=@quit",
            ],
            locale: "de_DE.UTF-8"
        )
        for sentence in [
            "Geben Sie eine vollständige E-Mail-Adresse ein, etwa ada@example.org.", "Anzeigename fehlt.",
            "(freiwillig)",
            "Neues Kennwort: mindestens 8 Zeichen sind nötig.", "Die beiden Eingaben stimmen nicht überein.",
            "Der Code muss 6 Ziffern haben.",
            "Mit :resend bekommen Sie einen neuen Code.", "Mit :back kommen Sie zum Schritt davor.",
        ] {
            #expect(asked.output.contains(sentence), "\(sentence)\n\(asked.output)")
        }
        let nobody = try machine.tasks(["list"], environment: Self.german)
        #expect(nobody.status == 77, "\(nobody.errors)")
        #expect(nobody.errors.contains("Sie sind nicht angemeldet."))
        let hint = "hint: Führen Sie `tasks sign-in` aus, oder `tasks sign-up` für ein neues Konto."
        #expect(nobody.errors.contains(hint), "\(nobody.errors)")
        end(broker)
    }
}
