extension ErrorText {
    /// Sentences with which the daemon refuses, in English and in German.
    static let ofDaemons: [(String, String)] = [
        // Accounts and sign-ins.
        ("the account is not that user's", "das Konto gehört nicht diesem Benutzer"),
        ("name one of the {} accounts", "nennen Sie eines der {} Konten"),
        ("somebody has to sign in or to prove more", "jemand muss sich anmelden oder mehr nachweisen"),
        ("somebody has to sign in at {}", "jemand muss sich bei {} anmelden"),
        ("there is no such account", "dieses Konto gibt es nicht"),
        ("nobody is signed in here", "hier ist niemand angemeldet"),
        (
            "this sign-in was used already; ask again",
            "diese Anmeldung ist schon verbraucht; versuchen Sie es noch einmal"
        ),
        ("this sign-in has ended; sign in again", "diese Anmeldung ist beendet; melden Sie sich neu an"),
        ("this account was signed out; sign in again", "dieses Konto wurde abgemeldet; melden Sie sich neu an"),
        ("this account can no longer sign in", "mit diesem Konto kann man sich nicht mehr anmelden"),
        ("the session has ended; sign in again", "die Sitzung ist beendet; melden Sie sich neu an"),
        ("the session has ended; somebody has to sign in", "die Sitzung ist beendet; jemand muss sich anmelden"),
        ("the refresh token is not valid; sign in again", "die Anmeldung gilt nicht mehr; melden Sie sich neu an"),
        (
            "what was proved is not enough for what was asked; ask again",
            "was nachgewiesen wurde, genügt nicht; versuchen Sie es noch einmal"
        ),
        ("another person than the one that was asked for signed in", "jemand anderes als verlangt hat sich angemeldet"),
        (
            "sign in with your password first; {} needs it to be fresh",
            "melden Sie sich erst mit dem Kennwort an; {} verlangt es frisch"
        ),
        ("{} is for operators", "{} ist für Betreiber"),
        ("the authority {} is not configured any more", "der Aussteller {} ist nicht mehr konfiguriert"),
        ("the operator has an authority of this name", "der Betreiber hat einen Aussteller dieses Namens"),
        ("you have added no authority of this name", "Sie haben keinen Aussteller dieses Namens hinzugefügt"),
        (
            "there is no OpenID authority whose issuer is exactly this URL",
            "es gibt keinen OpenID-Aussteller, dessen Adresse genau diese URL ist"
        ),
        (
            "too many authorities were looked at; try again later",
            "es wurden zu viele Aussteller angesehen; versuchen Sie es später noch einmal"
        ),
        ("an outside authority is not told {}", "einem fremden Aussteller wird {} nicht gesagt"),
        ("this provider is not configured any more", "dieser Anbieter ist nicht mehr konfiguriert"),
        (
            "somebody has to prove more than the provider's token",
            "jemand muss mehr nachweisen als mit dem Token des Anbieters"
        ),
        (
            "{} does not sign in with this provider; it has {}",
            "{} meldet nicht mit diesem Anbieter an; es hat {}"
        ),
        (
            "the provider's token is not valid, or was not issued to this service's registration there",
            "das Token des Anbieters gilt nicht, oder es wurde nicht für die Registrierung dieses Dienstes dort ausgestellt"
        ),
        (
            "the person of this token has no account here, and the policy makes none",
            "die Person dieses Tokens hat hier kein Konto, und die Richtlinie legt keines an"
        ),
        (
            "this user has no password, and signs in with a provider",
            "dieser Benutzer hat kein Kennwort und meldet sich mit einem Anbieter an"
        ),
        ("{} does not answer; try again", "{} antwortet nicht; versuchen Sie es noch einmal"),
        (
            "{} did not answer as a provider must; an operator has to look",
            "{} hat nicht geantwortet, wie ein Anbieter muss; ein Betreiber muss nachsehen"
        ),
        (
            "a service that this sign-in asks gives no answer; try again",
            "ein Dienst, den diese Anmeldung fragt, antwortet nicht; versuchen Sie es noch einmal"
        ),
        (
            "a service that this sign-in asks gave a wrong answer; an operator has to look",
            "ein Dienst, den diese Anmeldung fragt, hat falsch geantwortet; ein Betreiber muss nachsehen"
        ),
        (
            "too many of your sign-ins wait for a service outside; try again",
            "zu viele Ihrer Anmeldungen warten auf einen Dienst außerhalb; versuchen Sie es noch einmal"
        ),
        ("the identity provider lets nobody in now", "der Anbieter lässt jetzt niemanden ein"),
        (
            "nobody here is known by this account at the identity provider, and this policy makes no accounts",
            "dieses Konto des Anbieters kennt hier niemand, und diese Richtlinie legt keine Konten an"
        ),
        ("there is no door for browsers here", "hier gibt es keinen Zugang für Browser"),
        ("a browser has no part of this machine's cache", "ein Browser hat keinen Teil des Zwischenspeichers"),

        // Flows.
        ("there is no such flow", "diesen Ablauf gibt es nicht"),
        ("the flow has ended", "der Ablauf ist beendet"),
        ("another answer of this flow is being evaluated", "eine andere Antwort wird gerade geprüft"),
        ("another call of this batch changes the same flow", "ein anderer Aufruf ändert denselben Ablauf"),
        (
            "the time for this step has ended; the flow goes on with another",
            "die Zeit für diesen Schritt ist um; es geht mit einem anderen weiter"
        ),
        ("this is not the step that is open", "das ist nicht der Schritt, der offen ist"),
        ("the open step does not offer this action", "der offene Schritt bietet das nicht an"),
        ("the answers are not what was asked for", "die Antworten sind nicht, wonach gefragt wurde"),
        (
            "a step of type {} is needed, which this program does not show",
            "ein Schritt der Art {} ist nötig, den dieses Programm nicht zeigt"
        ),
        ("a requestId has 1 to {} characters", "eine requestId hat 1 bis {} Zeichen"),
        ("a submissionId has 1 to {} characters", "eine submissionId hat 1 bis {} Zeichen"),
        ("the requestId was used for another request", "diese requestId gehört zu einer anderen Anfrage"),
        (
            "too many of your sign-ins are open; finish or cancel one",
            "zu viele Anmeldungen sind offen; beenden Sie eine"
        ),
        (
            "too many sign-ins of everybody are open; try again later",
            "zu viele Anmeldungen aller sind offen; versuchen Sie es später noch einmal"
        ),
        ("too many calls wait for flows", "zu viele Aufrufe warten auf Abläufe"),
        (
            "sign-up is closed here; ask an operator for an account",
            "hier kann man kein Konto anlegen; fragen Sie einen Betreiber"
        ),
        (
            "sign-up is by invitation here, and this policy signs up without the address that one is for",
            "ein Konto gibt es hier nur auf Einladung, und diese Richtlinie fragt nicht nach der Adresse dazu"
        ),
        (
            "this policy cannot make an account for whom it was asked",
            "diese Richtlinie kann dafür kein Konto anlegen"
        ),

        // Checks.
        ("too many wrong answers; try again later", "zu viele falsche Antworten; versuchen Sie es später noch einmal"),
        ("too many wrong answers", "zu viele falsche Antworten"),
        ("too many answers are being looked at", "zu viele Antworten werden gerade geprüft"),
        ("too many codes were tried", "zu viele Codes wurden versucht"),
        (
            "too many passwords are being checked; try again",
            "zu viele Kennwörter werden gerade geprüft; versuchen Sie es noch einmal"
        ),
        (
            "the answer could not be checked in time; try again",
            "die Antwort konnte nicht rechtzeitig geprüft werden; versuchen Sie es noch einmal"
        ),
        ("this flow has sent as many codes as it may", "mehr Codes verschickt dieser Ablauf nicht"),
        ("{}; try again later", "{}; versuchen Sie es später noch einmal"),
        ("you have had {} mails sent in ten minutes", "Sie haben in zehn Minuten {} Mails verschicken lassen"),
        ("you have had {} mails sent in 24 hours", "Sie haben in 24 Stunden {} Mails verschicken lassen"),
        (
            "you have had {} mails sent to this address in an hour",
            "Sie haben in einer Stunde {} Mails an diese Adresse verschicken lassen"
        ),
        (
            "this address was sent as many codes as it may be in an hour",
            "diese Adresse hat die größte Zahl an Codes einer Stunde bekommen"
        ),
        (
            "this address was sent as many codes as it may be in 24 hours",
            "diese Adresse hat die größte Zahl an Codes von 24 Stunden bekommen"
        ),
        (
            "a code is needed, and there is no address to send one to",
            "ein Code ist nötig, und es gibt keine Adresse dafür"
        ),
        (
            "a PIN is needed, which only a program of the person's own machine can ask for",
            "eine PIN ist nötig, nach der nur ein Programm auf dem eigenen Rechner fragen kann"
        ),
        (
            "a PIN is needed and there is none; run `tokenbroker pin enrol`",
            "eine PIN ist nötig, und es gibt keine; rufen Sie `tokenbroker pin enrol` auf"
        ),
        (
            "an authenticator is needed and there is none; run `tokenbroker totp enrol`",
            "ein Authenticator ist nötig, und es gibt keinen; rufen Sie `tokenbroker totp enrol` auf"
        ),
        (
            "the policy asks for a second factor, and its checks have gone",
            "die Richtlinie verlangt einen zweiten Faktor, und die Prüfungen dafür gibt es nicht mehr"
        ),
        (
            "there is an authenticator already; remove it first",
            "es gibt schon einen Authenticator; entfernen Sie ihn zuerst"
        ),
        (
            "no policy signs in with this provider; {}",
            "mit diesem Dienst meldet keine Richtlinie an; {}"
        ),
        ("there are: {}", "es gibt: {}"),
        ("there is none", "es gibt keinen"),
        (
            "an account at {} is linked already, and one is all there can be; remove it first",
            "bei {} ist schon ein Konto verknüpft, und mehr als eines geht nicht; entfernen Sie es zuerst"
        ),
        (
            "no account at this provider is linked to this one",
            "bei diesem Dienst ist kein Konto mit diesem verknüpft"
        ),
        (
            "this is the only way to sign in to this account; link an account at another provider first",
            "anders kann man sich bei diesem Konto nicht anmelden; verknüpfen Sie erst ein Konto bei einem anderen Dienst"
        ),
        (
            "too many renewals were forced; use the token at hand, or try later",
            "es wurden zu viele Erneuerungen erzwungen; nehmen Sie das vorhandene Token oder versuchen Sie es später"
        ),
        (
            "too many tokens were asked of outside authorities; try again later",
            "bei anderen Ausstellern wurden zu viele Tokens verlangt; versuchen Sie es später noch einmal"
        ),
        ("there is no {} to remove", "{} gibt es nicht, also ist nichts zu entfernen"),
        ("there is no password to change", "es gibt kein Kennwort zu ändern"),
        ("this account has no password", "dieses Konto hat kein Kennwort"),
        ("this is the old password; choose another one", "das ist das alte Kennwort; wählen Sie ein anderes"),
        ("there is no check of this name", "eine Prüfung dieses Namens gibt es nicht"),
        ("no check asks for this credential", "danach fragt keine Prüfung"),
        (
            "what is asked reaches no such authentication context",
            "was gefragt wird, erreicht diesen Anmeldekontext nicht"
        ),
        (
            "the check {} takes a program on the person's own machine, and not a browser alone",
            "die Prüfung {} braucht ein Programm auf dem eigenen Rechner, ein Browser genügt nicht"
        ),

        // Policies, clients, scopes.
        ("there is no such policy", "diese Richtlinie gibt es nicht"),
        ("there is no such policy: {}", "diese Richtlinie gibt es nicht: {}"),
        ("there is no policy {}", "eine Richtlinie {} gibt es nicht"),
        ("there is no policy of this name", "eine Richtlinie dieses Namens gibt es nicht"),
        (
            "policy {} only asks more of somebody who is signed in",
            "die Richtlinie {} fragt nur, wer schon angemeldet ist"
        ),
        (
            "policy {} asks more of somebody who is signed in, and nobody is",
            "die Richtlinie {} fragt, wer schon angemeldet ist, und niemand ist es"
        ),
        ("policy {} does not grant {}/{}", "die Richtlinie {} erteilt {}/{} nicht"),
        (
            "policy {} reaches none of the authentication contexts {}",
            "die Richtlinie {} erreicht keinen der Anmeldekontexte {}"
        ),
        (
            "the claims request and acrValues have no authentication context in common",
            "claims und acrValues haben keinen Anmeldekontext gemeinsam"
        ),
        ("maxAge is negative, and nobody proves anything in future", "maxAge ist negativ"),
        ("there is no client {}", "eine Anwendung {} gibt es nicht"),
        ("client {} may not ask for {}/{}", "die Anwendung {} darf {}/{} nicht verlangen"),
        ("the scope {} asks for the check {}, which does not exist", "{} verlangt die Prüfung {}, die es nicht gibt"),
        ("the scopes are not of the resource that was named", "die Berechtigungen sind nicht von der genannten API"),
        ("more than {} scopes", "mehr als {} Berechtigungen"),
        (
            "the scopes are of two APIs, and a token is for one",
            "die Berechtigungen sind von zwei APIs, und ein Token ist für eine"
        ),
        ("name at least one scope", "nennen Sie wenigstens eine Berechtigung"),
        ("the scope is not unique; name one of {}", "die Berechtigung ist nicht eindeutig; nennen Sie eine von {}"),
        ("there is no scope {}", "eine Berechtigung {} gibt es nicht"),
        ("there is no scope that was asked for", "diese Berechtigung gibt es nicht"),

        // The cache and the stores.
        ("the token cache is full", "der Zwischenspeicher der Token ist voll"),
        (
            "the token cache is locked; unlock it by `tokenbroker unlock`",
            "der Zwischenspeicher der Token ist gesperrt; `tokenbroker unlock` öffnet ihn"
        ),
        ("the token cache", "der Zwischenspeicher der Token"),
        ("this is not the passphrase", "das ist nicht die Passphrase"),
        ("the renewal takes too long; try again", "die Erneuerung dauert zu lange; versuchen Sie es noch einmal"),
        (
            "the renewal could not be stored; try again",
            "die Erneuerung konnte nicht gespeichert werden; versuchen Sie es noch einmal"
        ),
        (
            "too many tokens are being issued for this account; try again",
            "zu viele Token werden für dieses Konto ausgestellt; versuchen Sie es noch einmal"
        ),
        ("too much waits to be written or sent; try again", "zu viel wartet; versuchen Sie es noch einmal"),
        ("too much is under way; try again", "zu viel ist im Gange; versuchen Sie es noch einmal"),
        ("the store is busy; try again", "der Speicher ist beschäftigt; versuchen Sie es noch einmal"),
        ("{} is locked; unlock it by `tokenbroker unlock`", "{} ist gesperrt; `tokenbroker unlock` öffnet es"),
        ("{} is busy; try again", "{} ist beschäftigt; versuchen Sie es noch einmal"),
        ("the disk is full; nothing was changed", "die Platte ist voll; nichts wurde geändert"),
        ("{} cannot be written; nothing was changed", "{} kann nicht geschrieben werden; nichts wurde geändert"),
        ("{} failed; nothing was changed", "{}: Fehler; nichts wurde geändert"),
        ("the data could not be stored or read", "die Daten konnten nicht gespeichert oder gelesen werden"),
        ("the attempt could not be written", "der Versuch konnte nicht gespeichert werden"),
        ("the attempt could not be given back", "der Versuch konnte nicht zurückgegeben werden"),
        ("the attempts could not be read", "die Versuche konnten nicht gelesen werden"),
        ("the user could not be unlocked", "der Benutzer konnte nicht entsperrt werden"),
        ("the mails could not be counted", "die Mails konnten nicht gezählt werden"),
        ("a charge could not be given back", "eine Belastung konnte nicht zurückgegeben werden"),
        ("what was asked for could not be counted", "die Anfrage konnte nicht gezählt werden"),
        ("the signing keys could not be changed", "die Signaturschlüssel konnten nicht geändert werden"),
        ("other daemons change the keys without end", "andere Dienste ändern die Schlüssel ohne Ende"),
        ("there is no key to sign with", "es gibt keinen Schlüssel zum Signieren"),
        ("the grant could not be read", "die Anmeldung konnte nicht gelesen werden"),
        ("a request that was kept could not be read", "eine aufbewahrte Anfrage konnte nicht gelesen werden"),
        ("a token could not be signed", "ein Token konnte nicht signiert werden"),

        // What operators do.
        ("there is no such user", "diesen Benutzer gibt es nicht"),
        (
            "there is no such user, and nobody of this address is invited",
            "diesen Benutzer gibt es nicht, und niemand mit dieser Adresse ist eingeladen"
        ),
        ("a client's name has 1 to {} printable characters", "der Name einer Anwendung hat 1 bis {} druckbare Zeichen"),
        ("a client has at most {} redirect URIs", "eine Anwendung hat höchstens {} redirect URIs"),
        (
            "no API has this scope; scopes are written <api>/<scope>",
            "diese Berechtigung hat keine API; man schreibt <API>/<Berechtigung>"
        ),
        ("no API has this audience", "diese audience hat keine API"),
        (
            "a client has at most {} addresses after sign-out",
            "eine Anwendung hat höchstens {} Adressen für die Zeit nach der Abmeldung"
        ),
        ("the address for sign-outs {}", "die Adresse für Abmeldungen {}"),
        ("a redirect URI {}", "ein redirect URI {}"),
        ("a backup is being made already", "eine Sicherung wird schon gemacht"),
        (
            "this client stands in the configuration; remove it there",
            "diese Anwendung steht in der Konfiguration; entfernen Sie sie dort"
        ),
        ("there is no group of this name", "eine Gruppe dieses Namens gibt es nicht"),
        ("this user is not in the group {}", "dieser Benutzer ist nicht in der Gruppe {}"),
        (
            "a group's name has 1 to 64 letters, digits, `.`, `_` and `-`",
            "der Name einer Gruppe hat 1 bis 64 Buchstaben, Ziffern, `.`, `_` und `-`"
        ),
        (
            "nobody can sign up, invited or not: the configuration says `signUp: closed`",
            "niemand kann ein Konto anlegen, auch nicht mit Einladung: die Konfiguration sagt `signUp: closed`"
        ),
        ("this is no e-mail address", "das ist keine E-Mail-Adresse"),
        ("somebody signs in with this address already", "mit dieser Adresse meldet sich schon jemand an"),
        ("somebody has this sign-in name", "diesen Namen hat schon jemand"),
        ("there is no signing key of this id", "einen Signaturschlüssel dieser Kennung gibt es nicht"),

        // Calls.
        ("there are too many connections", "es gibt zu viele Verbindungen"),
        ("too many calls of this user are under way", "zu viele Aufrufe dieses Benutzers sind im Gange"),
        ("too many answers wait to be read; read them first", "zu viele Antworten warten; lesen Sie die zuerst"),
        (
            "too many answers wait to be read; read them and ask again",
            "zu viele Antworten warten; lesen Sie die zuerst"
        ),
        ("too many requests in this second", "zu viele Anfragen in dieser Sekunde"),
        ("the service is ending; try again soon", "der Dienst endet; versuchen Sie es bald noch einmal"),
        (
            "this user is nobody in particular here, so nothing can belong to it",
            "dieser Benutzer ist hier niemand Bestimmtes, also kann ihm nichts gehören"
        ),
        (
            "the answer would be longer than 1 MiB; ask for less at once",
            "die Antwort wäre länger als 1 MiB; verlangen Sie weniger auf einmal"
        ),
        ("the call was given up after {} s", "der Aufruf wurde nach {} s aufgegeben"),
        ("the call failed by a fault of the service", "der Aufruf scheiterte an einem Fehler des Dienstes"),
        ("too many clients failed to prove who they are", "zu viele Anwendungen konnten sich nicht ausweisen"),
    ]
}
