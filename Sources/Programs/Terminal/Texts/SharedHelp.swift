/// The sentences of every command's help, and those of the argument parser, by the English ones.
enum SharedHelp {
    static let translated: [ScreenLanguage: [String: String]] = [
        .german: [
            "Show help information.": "Zeigt diese Hilfe.",
            "Show the version.": "Zeigt die Version.",
            "Show subcommand help information.": "Zeigt die Hilfe zu einem Befehl.",
            "See '…' for detailed help.": "Mehr sagt '…'.",
            "values: ": "Werte: ",
            "; default: ": "; sonst: ",
            "default: ": "sonst: ",
            "Read the password from the first line of standard input; a code, if one is asked for, from the next.":
                "Liest das Kennwort aus der ersten Zeile der Standardeingabe; einen Code, wenn danach gefragt wird, aus der nächsten.",
            "Answer a question beforehand, by the name of its field; never a secret.":
                "Beantwortet eine Frage im Voraus, mit dem Namen ihres Feldes; nie ein Geheimnis.",
            "Answer in a browser; the link also works in the browser of another machine.":
                "Fragt in einem Browser; der Link geht auch im Browser eines anderen Rechners.",
            "Answer in the browser of another device, such as a phone: type a short code there, or scan the picture.":
                "Fragt im Browser eines anderen Geräts wie eines Telefons: Dort wird ein kurzer Code eingegeben oder das Bild gescannt.",
            "Sign in at another authority in a browser of any machine, and paste the address at which your sign-in ended.":
                "Meldet Sie bei einem anderen Aussteller in einem Browser irgendeines Rechners an; eingefügt wird die Adresse, bei der er endete.",
            "Sign in at another authority in a browser of this machine, which comes back to a port of the daemon.":
                "Meldet Sie bei einem anderen Aussteller in einem Browser dieses Rechners an, der an einen Port des Dienstes zurückkehrt.",
            "With --localhost, the port; without it the one that is registered there, or any that is free.":
                "Der Port für --localhost; sonst der, der dort eingetragen ist, oder irgendein freier.",
            "The daemon's socket; without it TOKENBROKER_SOCKET, else the user's own, else the service's.":
                "Der Socket des Dienstes; sonst TOKENBROKER_SOCKET, sonst der eigene, sonst der des Systems.",
            "Print one JSON value; a failure prints {\"error\":{…}} as the last line on stderr.":
                "Gibt einen JSON-Wert aus; ein Fehler ist {\"error\":{…}} als letzte Zeile auf stderr.",
            "A UUID for logs and audit; made if not given.": "Eine UUID für Protokolle; sonst wird eine gewählt.",
            "The policy that says what is asked; without it the usual one.":
                "Die Richtlinie, nach der gefragt wird; sonst die übliche.",
            "Sign in with this provider's account, in a browser.":
                "Meldet im Browser mit dem Konto dieses Anbieters an.",
            "All accounts of this user of the machine.": "Alle Konten dieses Benutzers des Rechners.",
            "Exit codes: 0 done, 1 failed, 64 usage, 69 not reachable, 75 try later, 77 denied, 78 configuration.":
                "Endet mit: 0 getan, 1 misslungen, 64 falscher Aufruf, 69 nicht erreichbar, 75 später noch einmal, 77 verweigert, 78 Konfiguration.",
        ]
    ]
}
