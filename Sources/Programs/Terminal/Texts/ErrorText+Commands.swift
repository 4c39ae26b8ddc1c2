extension ErrorText {
    /// Rarer sentences of the commands themselves, in English and in German.
    static let ofCommands: [(String, String)] = [
        ("standard output cannot be written: {}", "die Standardausgabe kann nicht geschrieben werden: {}"),
        ("core dumps cannot be switched off: {}", "Speicherabzüge können nicht abgeschaltet werden: {}"),

        // tasks
        (
            "what is asked for is not kept on this machine",
            "wonach gefragt wird, wird auf diesem Rechner nicht aufbewahrt"
        ),
        (
            "there is no deletion of {} that waits, and others are on the server alone",
            "keine Löschung von {} wartet, und andere gibt es nur auf dem Server"
        ),
        ("ask without --offline, and with sync: auto", "fragen Sie ohne --offline, und mit sync: auto"),
        ("the stored tasks cannot be opened: {}", "die Aufgaben auf diesem Rechner lassen sich nicht öffnen: {}"),
        (
            "the tasks kept in {} cannot be opened; they are now in {}",
            "die Aufgaben in {} lassen sich nicht öffnen; sie sind nun in {}"
        ),
        (
            "the tasks kept in {} are sealed by another key; they are now in {}",
            "die Aufgaben in {} sind mit einem anderen Schlüssel versiegelt; sie sind nun in {}"
        ),
        (
            "the stored tasks were damaged; the file is now {}, and the tasks come again from the API",
            "die gespeicherten Aufgaben waren beschädigt; die Datei ist nun {}, und die Aufgaben kommen neu von der API"
        ),
        (
            "{} edits that the API did not have are saved; run `tasks import {}` to make them again",
            "{} Änderungen, die die API nicht hatte, sind gesichert; `tasks import {}` führt sie wieder aus"
        ),
        (
            "{} edits that the API did not have could not be read",
            "{} Änderungen, die die API nicht hatte, waren nicht zu lesen"
        ),
        ("{} is not valid", "{} ist nicht gültig"),

        // PIN and authenticator
        ("there is a PIN already", "es gibt schon eine PIN"),
        ("`tokenbroker pin change` sets another", "`tokenbroker pin change` setzt eine andere"),
        ("there is no PIN", "es gibt keine PIN"),
        ("`tokenbroker pin enrol` sets one", "`tokenbroker pin enrol` setzt eine"),
        ("there is an authenticator already", "es gibt schon einen Authenticator"),
        ("`tokenbroker totp remove` removes it", "`tokenbroker totp remove` entfernt ihn"),
        ("there is no authenticator", "es gibt keinen Authenticator"),
        ("`tokenbroker totp enrol` adds one", "`tokenbroker totp enrol` fügt einen hinzu"),

        // Files
        ("{}: there is no such file", "{}: diese Datei gibt es nicht"),
        ("{}: is not UTF-8, or cannot be read", "{}: ist nicht UTF-8, oder nicht zu lesen"),
        ("{} cannot be read: {}", "{} kann nicht gelesen werden: {}"),
        ("{} cannot be read", "{} kann nicht gelesen werden"),
        ("the tasks were never fetched from the API", "die Aufgaben wurden noch nie von der API geholt"),
        ("run it without --offline, and with sync: auto", "rufen Sie es ohne --offline und mit sync: auto auf"),
        (
            "this file is not sealed; remove it after the import",
            "diese Datei ist nicht versiegelt; entfernen Sie sie nach dem Import"
        ),
        ("{} has more than {} bytes", "{} hat mehr als {} Bytes"),
        ("standard input is no UTF-8", "die Standardeingabe ist nicht UTF-8"),
        ("standard input", "die Standardeingabe"),
        ("tokenbrokerd is not installed beside {}", "neben {} ist kein tokenbrokerd installiert"),
        ("nothing was changed", "nichts wurde geändert"),
        ("it says nothing", "er sagt nichts"),

        // Programs that ask for credentials
        (
            "git before 2.46 takes no bearer token without a user name",
            "git vor 2.46 nimmt kein Bearer-Token ohne Benutzernamen"
        ),
        ("tokens come from the broker, and none is stored", "Token kommen vom Dienst, und keines wird abgelegt"),
        ("sign in by `tokenbroker sign-in`", "melden Sie sich mit `tokenbroker sign-in` an"),
        ("no token goes to {}", "an {} geht kein Token"),
        (
            "no token of {} goes to the API {}: it is an outside authority's",
            "kein Token von {} geht an die API {}: es ist das eines fremden Ausstellers"
        ),
        ("only tokens of {} go there", "dorthin gehen nur Token von {}"),
        ("name a policy of this daemon by --policy", "nennen Sie mit --policy eine Richtlinie dieses Dienstes"),
        ("no token goes to {}: {}", "an {} geht kein Token: {}"),
        (
            "an address that is neither https nor this machine's, or has a user in it",
            "eine Adresse, die weder https noch die dieses Rechners ist, oder einen Benutzer nennt"
        ),
        ("no API has origins", "keine API nennt origins"),
        ("tokens go to {}", "Token gehen an {}"),
        (
            "`apis.NAME.origins` of tokenbrokerd.yaml names scheme, host and port of each API",
            "`apis.NAME.origins` in tokenbrokerd.yaml nennt Schema, Rechner und Port jeder API"
        ),
        (
            "KUBERNETES_EXEC_INFO is not set; kubectl sets it for its credential programs",
            "KUBERNETES_EXEC_INFO ist nicht gesetzt; kubectl setzt es für seine Programme"
        ),
        (
            "KUBERNETES_EXEC_INFO is no ExecCredential of client.authentication.k8s.io/v1",
            "KUBERNETES_EXEC_INFO ist kein ExecCredential von client.authentication.k8s.io/v1"
        ),
        (
            "kubectl does not say which cluster the token is for",
            "kubectl sagt nicht, für welchen Cluster das Token ist"
        ),
        (
            "provideClusterInfo: true, beside `command:` in the kubeconfig",
            "provideClusterInfo: true, neben `command:` in der kubeconfig"
        ),
        ("there is no policy that signs in", "eine Richtlinie, die anmeldet, gibt es nicht"),

        // Requests and programs
        ("the API redirects{}, which is not followed ({})", "die API verweist{}, dem wird nicht gefolgt ({})"),
        ("the API refuses a new token, too ({})", "die API lehnt auch ein neues Token ab ({})"),
        ("the API refuses a new token, too ({}){}", "die API lehnt auch ein neues Token ab ({}){}"),
        ("the API forbids it ({})", "die API verbietet es ({})"),
        ("the API is busy ({})", "die API ist beschäftigt ({})"),
        ("the API's answer has more than {} bytes", "die Antwort der API hat mehr als {} Bytes"),
        ("-X takes the name of a method, such as PATCH", "-X nimmt den Namen einer Methode, etwa PATCH"),
        ("{} is no URL", "{} ist kein URL"),
        ("-H takes a field such as `Accept: text/plain`", "-H nimmt ein Feld wie `Accept: text/plain`"),
        ("the field {} is written by this program", "das Feld {} schreibt dieses Programm"),
        (
            "the program to run is missing: exec -- PROGRAM ARGUMENT…",
            "es fehlt das Programm: exec -- PROGRAMM ARGUMENT…"
        ),
        ("{} cannot be run: {}", "{} kann nicht gestartet werden: {}"),
    ]
}
