import Terminal

/// The sentences of the help of `tokenbroker`, by the English ones.
enum BrokerHelp {
    static let translated: [ScreenLanguage: [String: String]] = [
        .german: [
            "Get bearer tokens, and see to the accounts they belong to.":
                "Holt Bearer-Token und kümmert sich um die Konten, denen sie gehören.",
            "List the accounts of this user of the machine; the default has a star.":
                "Zeigt die Konten dieses Benutzers des Rechners; das übliche hat einen Stern.",
            "List your own security events, oldest first.": "Zeigt Ihre Sicherheitsereignisse, das älteste zuerst.",
            "Only the last so much time: 15m, 2h, 7d.": "Nur die der letzten Zeit: 15m, 2h, 7d.",
            "Only the newest so many, 1 to 1000.": "Nur so viele der neuesten, 1 bis 1000.",
            "Everybody's events; for operators.": "Die Ereignisse aller; für Betreiber.",
            "Copy the authority's store into a file while the daemon serves; for operators.":
                "Sichert den Bestand in eine Datei, während der Dienst läuft; für Betreiber.",
            "The copy is sealed by the authority key, which is not in it: keep that key elsewhere.":
                "Die Sicherung ist mit dem Schlüssel des Ausstellers versiegelt, der nicht darin ist: Bewahren Sie ihn anderswo auf.",
            "The file to make; it must not be there.": "Die neue Datei; es darf sie noch nicht geben.",
            "See to outside authorities of your own, whose tokens the daemon keeps.":
                "Kümmert sich um Ihre fremden Aussteller, deren Token der Dienst aufbewahrt.",
            "Look at an outside authority, add it, and sign in there with a browser.":
                "Sieht sich einen fremden Aussteller an, fügt ihn hinzu und meldet dort mit einem Browser an.",
            "Its issuer, an https URL; left out where the preset knows it.":
                "Seine Adresse, eine https-URL; entfällt, wenn die Vorlage sie kennt.",
            "What to call it; without it the preset's word, or the host.":
                "Wie er heißen soll; sonst wie die Vorlage oder der Rechner.",
            "What it is: google, entra, github, keycloak or gitlab.":
                "Was er ist: google, entra, github, keycloak oder gitlab.",
            "The client id that it gave you.": "Die Kennung der Anwendung, die Sie von ihm haben.",
            "Read the client's secret from the first line of stdin.":
                "Liest das Geheimnis der Anwendung aus der ersten Zeile von stdin.",
            "Where its tokens may be sent, as https://host[:port]; may be repeated.":
                "Wohin seine Token geschickt werden dürfen, als https://host[:port]; auch mehrmals.",
            "A scope of its tokens; may be repeated.": "Eine Berechtigung seiner Token; auch mehrmals.",
            "Only add it; nobody signs in now.": "Fügt ihn nur hinzu; niemand meldet sich jetzt an.",
            "List the outside authorities that you can name, and what to register at one.":
                "Zeigt die fremden Aussteller, die Sie nennen können, und was dort zu registrieren ist.",
            "Remove an outside authority of your own, and sign its accounts out.":
                "Entfernt einen eigenen fremden Aussteller und meldet seine Konten ab.",
            "Its name.": "Sein Name.",
            "Take over accounts that other programs keep refresh tokens of.":
                "Übernimmt Konten, deren Refresh-Token andere Programme aufbewahren.",
            "Take over an account of oidc-agent: `oidc-gen -p NAME | tokenbroker import oidc-agent -`.":
                "Übernimmt ein Konto von oidc-agent: `oidc-gen -p NAME | tokenbroker import oidc-agent -`.",
            "A file with what `oidc-gen -p` prints; - for standard input.":
                "Eine Datei mit dem, was `oidc-gen -p` ausgibt; - für die Standardeingabe.",
            "What to call its authority; without it as the account is called there.":
                "Wie sein Aussteller heißen soll; sonst wie das Konto dort.",
            "Take over the accounts of a file that MSAL has serialized its cache into.":
                "Übernimmt die Konten einer Datei, in die MSAL seinen Zwischenspeicher geschrieben hat.",
            "The file; - for standard input.": "Die Datei; - für die Standardeingabe.",
            "What to call its authority; without it the authority's host.":
                "Wie der Aussteller heißen soll; sonst wie sein Rechner.",
            "See to the registered clients; for operators.":
                "Kümmert sich um die registrierten Anwendungen; für Betreiber.",
            "Register a client, and print its id, and its secret once.":
                "Registriert eine Anwendung und zeigt ihre Kennung, und ihr Geheimnis einmal.",
            "What people call it.": "Wie man sie nennt.",
            "Whether it can keep a secret: public or confidential.":
                "Ob sie ein Geheimnis wahren kann: public oder confidential.",
            "Where answers may be sent; may be repeated.": "Wohin Antworten gehen dürfen; auch mehrmals.",
            "A scope it may ask for, as API/SCOPE; may be repeated.":
                "Eine Berechtigung, um die sie bitten darf, als API/SCOPE; auch mehrmals.",
            "The audience of tokens that are asked for by its own id.":
                "Der Empfänger der Token, um die mit ihrer eigenen Kennung gebeten wird.",
            "List the registered clients.": "Zeigt die registrierten Anwendungen.",
            "Remove a client, and end what it was given.": "Entfernt eine Anwendung und beendet, was sie bekommen hat.",
            "Its id.": "Ihre Kennung.",
            "Show a client, and what to paste into MSAL, Authlib and mod_auth_openidc.":
                "Zeigt eine Anwendung und was in MSAL, Authlib und mod_auth_openidc einzutragen ist.",
            "The policy that people sign in at; if left out, the first that signs in.":
                "Die Richtlinie der Anmeldung; sonst die erste, die anmeldet.",
            "Look for what keeps tokens from coming, and say what to do about it.":
                "Sucht, weshalb keine Token kommen, und sagt, was zu tun ist.",
            "The daemon's configuration, if it is not at its usual place.":
                "Die Konfiguration des Dienstes, wenn sie nicht am üblichen Ort ist.",
            "The daemon's policies, if they are not at their usual place.":
                "Die Richtlinien des Dienstes, wenn sie nicht am üblichen Ort sind.",
            "The daemon's state directory, if it is not at its usual place.":
                "Das Verzeichnis des Dienstes, wenn es nicht am üblichen Ort ist.",
            "See to the groups of users, which stand in tokens; for operators.":
                "Kümmert sich um die Gruppen, die in Token stehen; für Betreiber.",
            "List the groups, or the members of one.": "Zeigt die Gruppen oder die Mitglieder einer Gruppe.",
            "The group whose members are listed, the first 1000 by object id.":
                "Die Gruppe, deren Mitglieder gezeigt werden, die ersten 1000 nach der Kennung.",
            "Only members after this object id.": "Nur Mitglieder hinter dieser Kennung.",
            "Put a user into a group, which is made if there is none.":
                "Nimmt jemanden in eine Gruppe auf, die es noch nicht geben muss.",
            "The group.": "Die Gruppe.",
            "The object id or a sign-in name.": "Die Kennung oder ein Anmeldename.",
            "Take a user out of a group.": "Nimmt jemanden aus einer Gruppe.",
            "See to the signing keys; for operators.":
                "Kümmert sich um die Schlüssel für Unterschriften; für Betreiber.",
            "List the signing keys.": "Zeigt die Schlüssel für Unterschriften.",
            "Make new signing keys, and retire those in use when nobody needs them any more.":
                "Macht neue Schlüssel und löst die bisherigen ab, sobald niemand sie mehr braucht.",
            "Only of this algorithm: ES256, EdDSA or RS256.": "Nur für dieses Verfahren: ES256, EdDSA oder RS256.",
            "Revoke a signing key: nothing it signed is accepted any longer.":
                "Widerruft einen Schlüssel: Was er unterschrieben hat, gilt nicht mehr.",
            "The key's id.": "Die Kennung des Schlüssels.",
            "List the policies, and what those that cannot be used yet are lacking.":
                "Zeigt die Richtlinien, und was denen fehlt, die noch nicht zu gebrauchen sind.",
            "Seal this user's tokens under a passphrase, until `unlock`.":
                "Versiegelt die Token dieses Benutzers mit einer Passphrase, bis zu `unlock`.",
            "Open this user's tokens by the passphrase that `lock` was given.":
                "Öffnet die Token dieses Benutzers mit der Passphrase von `lock`.",
            "Who has forgotten it begins anew by `tokenbroker sign-out --all`.":
                "Wer sie vergessen hat, beginnt mit `tokenbroker sign-out --all` von vorn.",
            "Read the passphrase from the first line of standard input.":
                "Liest die Passphrase aus der ersten Zeile der Standardeingabe.",
            "Work on the files of policies; needs no daemon.":
                "Arbeitet an den Dateien der Richtlinien; braucht keinen Dienst.",
            "Say every problem of a policy's file, or of a folder of them; exits 78 if there is one.":
                "Nennt jeden Mangel der Datei einer Richtlinie oder eines Ordners; endet mit 78, wenn es einen gibt.",
            "A file, checked together with the folder it lies in, or a folder. Where there is no checks.yaml the shipped ones count. Without one the daemon's own folder of policies.":
                "Eine Datei, die mit ihrem Ordner geprüft wird, oder ein Ordner. Ohne checks.yaml gelten die mitgelieferten. Ohne Angabe der Ordner des Dienstes.",
            "Walk one policy in the terminal, on throwaway state.":
                "Durchläuft eine Richtlinie im Terminal, mit Daten, von denen nichts bleibt.",
            "A daemon of its own runs the policy of FILE, with what lies beside it, and is removed with everything it kept when the command ends, however it ends. Mails stay here and are shown. Where a policy asks for somebody who has an account, one is made and named first. It says at the end what a client would get. A file with a problem is refused as `tokenbroker policy check` refuses it, and one that calls other services needs --call-outside, since it calls them as it would in production.":
                "Ein eigener Dienst führt die Richtlinie von FILE mit dem aus, was daneben liegt, und verschwindet mit allem, was er hatte, sobald der Befehl endet, wie auch immer. Nachrichten bleiben hier und werden gezeigt. Wo eine Richtlinie jemanden mit einem Konto braucht, wird eines angelegt und zuerst genannt. Am Ende steht, was eine Anwendung bekäme. Eine Datei mit einem Mangel wird abgelehnt, wie `tokenbroker policy check` sie ablehnt; eine, die andere Dienste ruft, braucht --call-outside, denn sie ruft sie wie im Betrieb.",
            "The file of the policy, read together with the folder it lies in.":
                "Die Datei der Richtlinie, die mit ihrem Ordner gelesen wird.",
            "A scope to ask for, may be repeated; without one all that the policy grants.":
                "Eine Berechtigung, um die gebeten wird, auch mehrmals; sonst alle, die die Richtlinie gibt.",
            "Call the services outside that the policy names, with its real credentials.":
                "Ruft die Dienste außerhalb, die die Richtlinie nennt, mit deren echten Zugangsdaten.",
            "Make a backup the authority's store, while the daemon is stopped.":
                "Macht eine Sicherung zum Bestand, während der Dienst steht.",
            "Every session and refresh token from before ends; people sign in anew. The store that was there stays beside the new one, as authority.sqlite.before-restore. A backup that was changed after it was made is refused. It runs `tokenbrokerd --restore FILE`.":
                "Jede Sitzung und jedes Refresh-Token von vorher endet; alle melden sich neu an. Der bisherige Bestand bleibt daneben als authority.sqlite.before-restore. Eine nachträglich geänderte Sicherung wird abgelehnt. Es ruft `tokenbrokerd --restore FILE` auf.",
            "The backup.": "Die Sicherung.",
            "Where the daemon keeps its databases and keys.": "Wo der Dienst seine Datenbanken und Schlüssel hat.",
            "List the scopes that can be asked for, each with the policies that grant it.":
                "Zeigt die Berechtigungen, um die man bitten kann, mit den Richtlinien, die sie geben.",
            "Sign in, so that tokens come without a question.": "Meldet Sie an, damit Token ohne Frage kommen.",
            "See to your password.": "Kümmert sich um Ihr Kennwort.",
            "Set a new password if you forgot the old one; a code by mail proves who you are.":
                "Setzt ein neues Kennwort, wenn Sie das alte vergessen haben; ein Code per E-Mail weist Sie aus.",
            "See to your profile.": "Kümmert sich um Ihr Profil.",
            "Change your name and what else a policy lets you change; tokens say it from then on.":
                "Ändert Ihren Namen und was eine Richtlinie sonst ändern lässt; Token sagen es von da an.",
            "Remove tokens, sessions and flows of an account, and revoke what renews them.":
                "Entfernt Token, Sitzungen und Abläufe eines Kontos und widerruft, was sie erneuert.",
            "The account: its id, its user name, or the beginning of either; without it the default, or the only one.":
                "Das Konto: seine Kennung, sein Benutzername oder deren Anfang; sonst das übliche oder das einzige.",
            "Make an account; whoever signed up is signed in.":
                "Legt ein Konto an; wer sich registriert, ist angemeldet.",
            "Show the daemon's version, age and counts.": "Zeigt Version, Alter und Zahlen des Dienstes.",
            "Print a bearer token, from the cache where possible.":
                "Gibt ein Bearer-Token aus, wo möglich aus dem Zwischenspeicher.",
            "Asks on the terminal if the policy wants something of the person, unless --no-prompt is given. Without --policy it is that of the account's last sign-in, which one that only signs up never is, else the daemon's default; without --account the default, or the only one.":
                "Fragt im Terminal, wenn die Richtlinie etwas wissen will, außer mit --no-prompt. Ohne --policy ist es die der letzten Anmeldung des Kontos, nie eine, die nur registriert, sonst die übliche des Dienstes; ohne --account das übliche Konto oder das einzige.",
            "The policy to get it under.": "Die Richtlinie, nach der es geholt wird.",
            "A scope it must have, may be repeated; without one all that the policy grants.":
                "Eine Berechtigung, die es haben muss, auch mehrmals; sonst alle, die die Richtlinie gibt.",
            "The account: its id, its user name, or the beginning of either.":
                "Das Konto: seine Kennung, sein Benutzername oder deren Anfang.",
            "The client to ask as; the default is tokenbroker-cli.":
                "Die Anwendung, als die gefragt wird; sonst tokenbroker-cli.",
            "How long it must last at least: 90s, 15m, 2h.": "Wie lange es mindestens gelten muss: 90s, 15m, 2h.",
            "Get a new one even if the cached one would do.": "Holt auch dann ein neues, wenn das gespeicherte genügt.",
            "Fail with 77 instead of asking.": "Endet mit 77, statt zu fragen.",
            "Print the whole header, `Authorization: Bearer ...`.":
                "Gibt die ganze Kopfzeile aus, `Authorization: Bearer ...`.",
            "Print lines for `eval`: ACCESS_TOKEN and ACCESS_TOKEN_EXPIRES_AT, in milliseconds since 1970.":
                "Gibt Zeilen für `eval` aus: ACCESS_TOKEN und ACCESS_TOKEN_EXPIRES_AT, in Millisekunden seit 1970.",
            "List the tokens that are held: scopes, policy, client and expiry, never a token.":
                "Zeigt die vorhandenen Token: Berechtigungen, Richtlinie, Anwendung und Ablauf, nie ein Token.",
            "Only those of an account: its id, its user name, or the beginning of either.":
                "Nur die eines Kontos: seine Kennung, sein Benutzername oder deren Anfang.",
            "Make an account the default, which is meant where several are signed in and none is named.":
                "Macht ein Konto zum üblichen, das gemeint ist, wo mehrere angemeldet sind und keines genannt ist.",
            "Its id, its user name, or the beginning of either.": "Seine Kennung, sein Benutzername oder deren Anfang.",
            "See to the users of the authority; for operators.":
                "Kümmert sich um die Personen des Ausstellers; für Betreiber.",
            "List the users, by object id.": "Zeigt die Personen, nach der Kennung.",
            "Only those after this object id.": "Nur die hinter dieser Kennung.",
            "At most so many, 1 to 1000.": "Höchstens so viele, 1 bis 1000.",
            "Show a user, with attributes.": "Zeigt eine Person mit ihren Angaben.",
            "Invite whoever has an address to sign up with it, by mail.":
                "Lädt den Inhaber einer Adresse per Mail ein, sich zu registrieren.",
            "The address.": "Die Adresse.",
            "How many days the invitation is good, 1 to 365.": "Wie viele Tage die Einladung gilt, 1 bis 365.",
            "Keep a user from signing in, and end sessions and renewals.":
                "Sperrt die Anmeldung einer Person und beendet Sitzungen und Erneuerungen.",
            "Let the user sign in again.": "Lässt die Person wieder zu.",
            "Ask a user for another password at the next sign-in, and end sessions and renewals.":
                "Verlangt von einer Person bei der nächsten Anmeldung ein neues Kennwort; Sitzungen und Erneuerungen enden.",
            "Lift the blocks on a user's attempts.": "Hebt die Sperren der Versuche einer Person auf.",
            "Delete a user, with sessions, flows and renewals, or take an invitation back.":
                "Löscht eine Person mit Sitzungen, Abläufen und Erneuerungen, oder nimmt eine Einladung zurück.",
            "The object id or a sign-in name, or an invited address.":
                "Die Kennung, ein Anmeldename oder eine eingeladene Adresse.",
            "How its ID tokens are signed: ES256, EdDSA or RS256.":
                "Das Verfahren für ihre ID-Token: ES256, EdDSA oder RS256.",
            "How its access tokens are signed: ES256, EdDSA or RS256.":
                "Das Verfahren für ihre Access-Token: ES256, EdDSA oder RS256.",
            "Where a browser may be sent after sign-out; may be repeated.":
                "Wohin ein Browser nach der Abmeldung geschickt werden darf; auch mehrmals.",
            "Where it is told of sign-outs.":
                "Wo sie von Abmeldungen erfährt.",
            "Give tokens to git, docker and kubectl, for the origins of APIs only.":
                "Gibt git, docker und kubectl Token, nur für die Ursprünge von APIs.",
            "Answer docker's `get` (docker-credential-helpers); nothing is stored.":
                "Beantwortet `get` von docker (docker-credential-helpers); gespeichert wird nichts.",
            "Docker runs it as docker-credential-NAME, a program of two lines: `#!/bin/sh` and `exec tokenbroker credential docker \"$@\"`. The token is the password of the account's user name, or of --username.":
                "Docker ruft es als docker-credential-NAME auf, ein Programm aus zwei Zeilen: `#!/bin/sh` und `exec tokenbroker credential docker \"$@\"`. Das Token ist das Kennwort zum Benutzernamen des Kontos oder zu --username.",
            "The user name that the registry wants beside a token.":
                "Der Benutzername, den die Registry neben einem Token verlangt.",
            "What docker wants: get, store, erase or list.":
                "Was docker will: get, store, erase oder list.",
            "Answer git (gitcredentials(7)): a bearer token from git 2.46, else a password.":
                "Antwortet git (gitcredentials(7)): ab git 2.46 mit einem Bearer-Token, sonst mit einem Kennwort.",
            "Configured by `git config credential.https://HOST.helper '!tokenbroker credential git'`. Git before 2.46 needs a user name besides: `git config credential.https://HOST.username NAME`. Nothing is stored; a token that the server refused is renewed.":
                "Einzurichten mit `git config credential.https://HOST.helper '!tokenbroker credential git'`. Git vor 2.46 braucht auch einen Benutzernamen: `git config credential.https://HOST.username NAME`. Gespeichert wird nichts; ein Token, das der Server abgelehnt hat, wird erneuert.",
            "Give the token as the password of this user, to servers that know no bearer tokens.":
                "Gibt das Token als Kennwort dieses Benutzers, für Server, die keine Bearer-Token kennen.",
            "What git wants: get, store or erase.":
                "Was git will: get, store oder erase.",
            "Answer kubectl with an ExecCredential.":
                "Antwortet kubectl mit einem ExecCredential.",
            "Configured as `users[].user.exec` of the kubeconfig with `provideClusterInfo: true`, so that it is known where the token goes.":
                "Einzurichten als `users[].user.exec` der kubeconfig mit `provideClusterInfo: true`, damit bekannt ist, wohin das Token geht.",
            "The policy to get the token under.":
                "Die Richtlinie, nach der das Token geholt wird.",
            "A scope it must have, may be repeated; without one all that the policy grants for the API.":
                "Eine Berechtigung, die es haben muss, auch mehrmals; sonst alle, die die Richtlinie für die API gibt.",
            "A URL of the API that the token is for; refused if it is of none.":
                "Eine Adresse der API, für die das Token ist; gehört sie zu keiner, wird abgelehnt.",
            "Run a program with a token in its environment.":
                "Startet ein Programm mit einem Token in seiner Umgebung.",
            "The program finds ACCESS_TOKEN, ACCESS_TOKEN_EXPIRES_AT (milliseconds since 1970) and ACCESS_TOKEN_ORIGINS, the origins that the token may be sent to. Its exit code is the exit code.":
                "Das Programm findet ACCESS_TOKEN, ACCESS_TOKEN_EXPIRES_AT (Millisekunden seit 1970) und ACCESS_TOKEN_ORIGINS, die Ursprünge, an die das Token gehen darf. Sein Ergebnis ist das Ergebnis.",
            "The program, behind `--`, and its arguments.":
                "Das Programm hinter `--` und seine Argumente.",
            "Send a request to an API with a token of it, and print the answer.":
                "Schickt einer API eine Anfrage mit einem Token für sie und zeigt die Antwort.",
            "A token goes only to an origin of its API (apis.NAME.origins of tokenbrokerd.yaml), and no redirect is followed. If the API refuses it, another one is tried once with the same request: one with the proof or scope that the API asks for, else a new one. An answer of 400 and above is printed, and fails.":
                "Ein Token geht nur an einen Ursprung seiner API (apis.NAME.origins in tokenbrokerd.yaml), und keiner Umleitung wird gefolgt. Lehnt die API es ab, so wird es mit derselben Anfrage einmal mit einem anderen versucht: mit dem Nachweis oder der Berechtigung, die sie verlangt, sonst mit einem neuen. Eine Antwort ab 400 wird gezeigt und gilt als Fehler.",
            "A field of the request, may be repeated.":
                "Ein Feld der Anfrage, auch mehrmals.",
            "How long a request may take with its whole answer; the default is 60s.":
                "Wie lange eine Anfrage mit ihrer ganzen Antwort dauern darf; sonst 60s.",
            "The body: a text, @FILE, or @- for standard input.":
                "Der Inhalt: ein Text, @DATEI oder @- für die Standardeingabe.",
            "The method; GET, or POST with --data.":
                "Die Methode; sonst GET, mit --data POST.",
            "Set, change or remove the PIN that this user asks for at what needs one.":
                "Setzt, ändert oder entfernt die PIN, nach der dieser Benutzer gefragt wird, wo eine nötig ist.",
            "Set a PIN, after the password.": "Setzt eine PIN, nach dem Kennwort.",
            "Set another PIN, after the password; the one before may be forgotten.":
                "Setzt eine andere PIN, nach dem Kennwort; die vorige darf vergessen sein.",
            "Remove the PIN, after the password.": "Entfernt die PIN, nach dem Kennwort.",
            "Link your account to those that you have at other services, and sign in with either.":
                "Verknüpft Ihr Konto mit denen, die Sie bei anderen Diensten haben; anmelden können Sie sich mit beiden.",
            "List the services at which an account is linked to yours.":
                "Zeigt die Dienste, bei denen ein Konto mit Ihrem verknüpft ist.",
            "Link your account at a service: in a browser, prove that this account is yours, then sign in there.":
                "Verknüpft Ihr Konto bei einem Dienst: Im Browser zeigen Sie, dass dieses Konto Ihres ist, und melden sich dann dort an.",
            "The service, as the daemon's configuration names it.":
                "Der Dienst, wie ihn die Konfiguration des Brokers nennt.",
            "Remove the account at a service, after the password; what was signed in with it is signed out.":
                "Entfernt das Konto bei einem Dienst, nach dem Kennwort; was damit angemeldet war, ist dann abgemeldet.",
            "Add or remove the authenticator app whose codes are asked for at what needs one.":
                "Fügt die Authenticator-App hinzu, deren Codes verlangt werden, oder entfernt sie.",
            "Add an authenticator app, after the password; recovery codes are shown once.":
                "Fügt eine Authenticator-App hinzu, nach dem Kennwort; Wiederherstellungscodes werden einmal gezeigt.",
            "Remove the authenticator app, after the password and one of its codes or a recovery code.":
                "Entfernt die Authenticator-App, nach dem Kennwort und einem ihrer Codes oder einem Wiederherstellungscode.",
            "Read the password from the first line of standard input, and a new PIN or a code from the next.":
                "Liest das Kennwort aus der ersten Zeile der Standardeingabe, und eine neue PIN oder einen Code aus der nächsten.",
            "Show the account that is used if none is named.": "Zeigt das Konto, das gilt, wenn keines genannt ist.",
        ]
    ]
}
