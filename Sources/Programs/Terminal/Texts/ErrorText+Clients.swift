extension ErrorText {
    /// Sentences of the client of the daemon, in English and in German.
    static let ofClients: [(String, String)] = [
        (
            "the broker ended the connection before it answered",
            "der Dienst hat die Verbindung beendet, bevor er geantwortet hat"
        ),
        ("the broker did not answer in time", "der Dienst hat nicht rechtzeitig geantwortet"),
        ("the broker's answer is no JSON-RPC response", "die Antwort des Dienstes ist keine von JSON-RPC"),
        ("the broker's answer has no usable member {}", "in der Antwort des Dienstes fehlt {}"),
        (
            "the broker began a flow though it was asked not to",
            "der Dienst hat einen Ablauf begonnen, obwohl er es nicht sollte"
        ),
        ("other prompts took every turn", "andere Fragen kamen jedes Mal zuvor"),
        ("a handler did not return", "eine Antwort kam nicht zurück"),
        ("nobody here can answer the step {}", "niemand kann hier diesen Schritt beantworten: {}"),
        ("the step {} was not answered before it ended", "dieser Schritt wurde nicht rechtzeitig beantwortet: {}"),
        (
            "there were too many wrong answers; try again later",
            "es waren zu viele falsche Antworten; versuchen Sie es später noch einmal"
        ),
        ("the broker denied it", "der Dienst hat es abgelehnt"),
        ("somebody else than the required user signed in", "jemand anderes als verlangt hat sich angemeldet"),
        ("it was cancelled", "es wurde abgebrochen"),
        ("its time ended", "die Zeit dafür ist um"),
        ("it failed ({})", "es ist gescheitert ({})"),
        ("it has not ended", "es ist nicht zu Ende"),
        (
            "no broker answers at its socket ({}); is tokenbrokerd running?",
            "am Socket antwortet kein Dienst ({}); läuft tokenbrokerd?"
        ),
        (
            "the server at {} runs as uid {}, which is neither this user nor the service; nothing was sent",
            "der Server an {} läuft als uid {}, das ist weder dieser Benutzer noch der Dienst; nichts wurde gesendet"
        ),
        (
            "the path is longer than a socket's may be, 107 bytes",
            "der Pfad ist länger, als der eines Sockets sein darf, 107 Bytes"
        ),
    ]
}
