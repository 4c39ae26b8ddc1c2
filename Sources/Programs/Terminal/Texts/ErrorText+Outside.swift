extension ErrorText {
    /// Sentences with which the daemon refuses what is asked of an outside authority, in English and in German.
    static let ofOutside: [(String, String)] = [
        ("the authority was removed meanwhile", "dieser Aussteller wurde inzwischen entfernt"),
        (
            "{} has renewed the token, but what it answered could not be verified; the new token is kept here: import the same account again to go on",
            "{} hat das Token erneuert, aber die Antwort ließ sich nicht prüfen; das neue Token ist hier aufbewahrt: importieren Sie dasselbe Konto noch einmal, um fortzufahren"
        ),
        (
            "{} does not take this refresh token; sign in there",
            "{} nimmt dieses Refresh-Token nicht an; melden Sie sich dort an"
        ),
        (
            "{} has policies; name one of those whose files name {}",
            "{} hat Richtlinien; nennen Sie eine, deren Datei {} nennt"
        ),
        (
            "tokens of {} are not for this user; an operator names who may have them",
            "Tokens von {} sind nicht für diesen Benutzer; ein Betreiber nennt, wer sie haben darf"
        ),
        ("{} does not give the scopes that were asked for", "{} gibt nicht die Scopes, die verlangt wurden"),
        (
            "{} does not take the token that this account has here",
            "{} nimmt das Token nicht an, das dieses Konto hier hat"
        ),
        ("somebody has to sign in here first", "erst muss sich hier jemand anmelden"),
        (
            "nobody signs in at {}: its tokens come without a question",
            "bei {} meldet sich niemand an: seine Tokens kommen ohne eine Frage"
        ),
        (
            "{} sends people back to {} only; sign in by --localhost or --paste",
            "{} schickt nur nach {} zurück; melden Sie sich mit --localhost oder --paste an"
        ),
        ("no browser comes back to a port here", "hier kehrt kein Browser an einen Port zurück"),
        (
            "no port of this machine is free for a browser to come back to",
            "auf diesem Rechner ist kein Port frei, an den ein Browser zurückkehren könnte"
        ),
        (
            "the daemon may not listen at port {}, where the browser would end; take one from 1024 on",
            "der Dienst darf am Port {}, an dem der Browser enden würde, nicht lauschen; nehmen Sie einen ab 1024"
        ),
        (
            "port {} of this machine, where the browser would end, is in use; end what listens there, or take another port",
            "Port {} dieses Rechners, an dem der Browser enden würde, ist belegt; beenden Sie, was dort lauscht, oder nehmen Sie einen anderen Port"
        ),
        (
            "{} sends people back to {} only; sign in by {}",
            "{} schickt nur nach {} zurück; melden Sie sich mit {} an"
        ),
        (
            "{} sends nobody back to a port of this machine; sign in by {}",
            "{} schickt niemanden zu einem Port dieses Rechners zurück; melden Sie sich mit {} an"
        ),
    ]
}
