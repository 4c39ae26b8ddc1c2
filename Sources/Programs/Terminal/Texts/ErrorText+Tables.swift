extension ErrorText {
    /// Sentences about tables, their rows and queries, in English and in German.
    static let ofTables: [(String, String)] = [
        // Queries.
        ("there is no column '{}'", "eine Spalte '{}' gibt es nicht"),
        ("there is no column '{}' (did you mean '{}'?)", "eine Spalte '{}' gibt es nicht (meinten Sie '{}'?)"),
        ("is longer than {} bytes", "ist länger als {} Bytes"),
        ("is nested deeper than {}", "ist tiefer geschachtelt als {}"),
        ("is nested too deeply", "ist zu tief geschachtelt"),
        ("is too long", "ist zu lang"),
        ("has more than {} parts", "hat mehr als {} Teile"),
        ("has more than {} terms", "hat mehr als {} Glieder"),
        ("has more than {} names", "hat mehr als {} Namen"),
        ("has texts of more than {} bytes in all", "hat zusammen mehr als {} Bytes Text"),
        ("{} cannot be compared with {}", "{} kann nicht mit {} verglichen werden"),
        ("{} is not a condition", "{} ist keine Bedingung"),
        ("{} cannot be calculated with", "mit {} kann nicht gerechnet werden"),
        ("a truth value", "ein Wahrheitswert"),
        ("a number", "eine Zahl"),
        ("a text", "ein Text"),
        ("a date", "ein Datum"),
        ("'{}' cannot name a column", "'{}' kann keine Spalte heißen"),
        ("{} cannot be asked of a table", "{} kann keine Tabelle gefragt werden"),
        ("the number is out of range", "die Zahl ist zu groß oder zu klein"),
        ("the date is outside the years 1 to 9999", "das Datum liegt nicht in den Jahren 1 bis 9999"),
        ("and, or: need two conditions", "and, or: brauchen zwei Bedingungen"),
        ("in: needs a value", "in: braucht einen Wert"),
        ("BETWEEN needs two values", "BETWEEN braucht zwei Werte"),
        ("BETWEEN cannot be nested", "BETWEEN kann nicht geschachtelt werden"),
        ("[{}] is not supported, only [c] is", "[{}] gibt es nicht, nur [c]"),
        ("Unterminated string literal", "einem Text fehlt das schließende Anführungszeichen"),
        ("Unknown escape in a string literal", "nach einem \\ in einem Text steht ein unbekanntes Zeichen"),
        ("'{}' is not a date", "'{}' ist kein Datum"),
        ("'{}' is not a number of rows", "'{}' ist keine Zahl von Zeilen"),
        ("You cannot request more than {} records", "mehr als {} Zeilen kann man nicht verlangen"),
        ("You cannot skip more than {} records", "mehr als {} Zeilen kann man nicht überspringen"),

        // Rows.
        ("'{}' cannot be written", "'{}' kann nicht geschrieben werden"),
        (
            "the id is too long or has a character that no id may have",
            "die Kennung ist zu lang oder hat ein Zeichen, das keine haben darf"
        ),
        ("table '{}' has no column '{}'", "die Tabelle '{}' hat keine Spalte '{}'"),
        (
            "table '{}' has no column '{}' (did you mean '{}'?)",
            "die Tabelle '{}' hat keine Spalte '{}' (meinten Sie '{}'?)"
        ),
        ("'{}' needs at least {} characters", "'{}' braucht mindestens {} Zeichen"),
        ("'{}' may have at most {} characters", "'{}' darf höchstens {} Zeichen haben"),
        ("'{}' is not of the form {}", "'{}' hat nicht die Form {}"),
        ("'{}' must be at least {}", "'{}' muss mindestens {} sein"),
        ("'{}' must be at most {}", "'{}' darf höchstens {} sein"),
        ("'{}' must be one of {}", "'{}' muss eines von {} sein"),
        ("This item already exists.", "Das gibt es schon."),
        ("there is no row '{}' here", "eine Zeile '{}' gibt es hier nicht"),
        ("there is no table '{}' here", "eine Tabelle '{}' gibt es hier nicht"),
        (
            "The requested operation is not allowed due to an already pending operation",
            "das geht nicht, weil schon eine Änderung wartet"
        ),

        // The API.
        ("the API cannot be reached", "die API ist nicht zu erreichen"),
        (
            "{} is served by user {} of this machine. Use https, or allow it: outgoing.trustedLoopback: [{}].",
            "{} wird von Benutzer {} dieses Rechners bedient. Nutzen Sie https, oder erlauben Sie es: outgoing.trustedLoopback: [{}]."
        ),
        (
            "{} is served by a process this machine does not know (a container's port?). Use https, or allow it: outgoing.trustedLoopback: [{}].",
            "{} wird von einem Prozess bedient, den dieser Rechner nicht kennt (der Port eines Containers?). Nutzen Sie https, oder erlauben Sie es: outgoing.trustedLoopback: [{}]."
        ),
        (
            "No process listens at {}. Start the service and try again.",
            "Kein Prozess lauscht an {}. Starten Sie den Dienst und versuchen Sie es noch einmal."
        ),
        ("the API cannot be reached: {}", "die API ist nicht zu erreichen: {}"),
        ("the API did not answer in time", "die API hat nicht rechtzeitig geantwortet"),
        ("the API did not answer in time: {}", "die API hat nicht rechtzeitig geantwortet: {}"),
        ("the API's answer is larger than {} bytes", "die Antwort der API ist größer als {} Bytes"),
        ("the API's answer is not JSON", "die Antwort der API ist kein JSON"),
        ("the API's answer is not a list", "die Antwort der API ist keine Liste"),
        ("the API answered something that is no row", "die API hat etwas geantwortet, das keine Zeile ist"),
        ("the API answered something that is no task", "die API hat etwas geantwortet, das keine Aufgabe ist"),
        ("the API answered {}", "die API hat {} geantwortet"),
        ("the token is not valid", "das Token ist nicht gültig"),
        ("{} has more than {} bytes", "{} hat mehr als {} Bytes"),
        ("the schema version of {} cannot be read", "die Schemaversion von {} kann nicht gelesen werden"),
        ("the list has more than {} pages", "die Liste hat mehr als {} Seiten"),
        (
            "the API's link to the next page leads elsewhere",
            "der Verweis der API auf die nächste Seite führt woandershin"
        ),
        ("the address is longer than {} bytes", "die Adresse ist länger als {} Bytes"),
        ("the body is larger than {} bytes", "was gesendet würde, ist größer als {} Bytes"),
        ("there is no token for the API", "es gibt kein Token für die API"),
        ("there is no API to sync with", "es gibt keine API zum Abgleichen"),
        ("the pull was cancelled", "das Holen wurde abgebrochen"),
        ("the push was cancelled", "das Senden wurde abgebrochen"),

        // The stores of this machine.
        ("the local store failed: {}", "der Speicher dieses Rechners hat einen Fehler: {}"),
        (
            "another process syncs over this store for too long",
            "ein anderer Prozess gleicht diesen Speicher schon zu lange ab"
        ),
        (
            "the tasks kept here were just moved; run it again",
            "die Aufgaben hier wurden gerade verschoben; noch einmal bitte"
        ),
        (
            "the tasks kept in {} are being changed all the time; nothing was moved",
            "die Aufgaben in {} werden fortwährend geändert; nichts wurde verschoben"
        ),
        (
            "{} is sealed and no key was given; nothing was changed",
            "{} ist versiegelt, und es gibt keinen Schlüssel; nichts wurde geändert"
        ),
        (
            "{} was written by a newer version (schema {}, this one knows {}); nothing was changed",
            "{} ist von einer neueren Version (Schema {}, diese kennt {}); nichts wurde geändert"
        ),
        (
            "{} was written by a development version before 0.1.0 (schema {}), which alone opens it; nothing was changed",
            "{} ist von einer Entwicklungsversion vor 0.1.0 (Schema {}), die es allein öffnet; nichts wurde geändert"
        ),
        ("a row of {} does not open", "eine Zeile von {} lässt sich nicht öffnen"),
        ("a stored row or operation is damaged", "eine gespeicherte Zeile oder Änderung ist beschädigt"),
        ("cannot set {} aside", "{} kann nicht beiseite gelegt werden"),
        ("cannot move {}", "{} kann nicht verschoben werden"),
        ("cannot make {}", "{} kann nicht angelegt werden"),
        ("{} cannot be removed", "{} kann nicht entfernt werden"),
        ("{} cannot be written", "{} kann nicht geschrieben werden"),
        ("{} cannot be written: {}", "{} kann nicht geschrieben werden: {}"),
        ("{} is not a directory", "{} ist kein Verzeichnis"),
        ("{} is no database", "{} ist keine Datenbank"),
        ("{} is another program's database", "{} ist die Datenbank eines anderen Programms"),
        ("{} belongs to uid {}, not to uid {}", "{} gehört uid {}, nicht uid {}"),
        (
            "others can read {}, its mode must be 0700; run: chmod 700 {}",
            "andere können {} lesen, der Modus muss 0700 sein: chmod 700 {}"
        ),
        (
            "others can read {}, its mode must be 0600; run: chmod 600 {}",
            "andere können {} lesen, der Modus muss 0600 sein: chmod 600 {}"
        ),
        ("another process holds {} for too long", "ein anderer Prozess hält {} zu lange"),
        ("the disk is full; {} was not changed", "die Platte ist voll; {} wurde nicht geändert"),
    ]
}
