extension TerminalText {
    /// The sentence in English.
    var english: String {
        switch self {
        case .optional: "(optional)"
        case .yesOrNoOptions: "(yes, no)"
        case .again(let label): "\(label) again: "
        case .notTheSame: "These are not the same."
        case .lastAttempt: "This is the last attempt."
        case .attemptsLeft(let count): "\(count) attempts are left."
        case .action("create"): "Type :create to make an account."
        case .action("resend"): "Type :resend to get another code."
        case .action("back"): "Type :back to return to the step before."
        case .action(let name): "Type :\(name) instead of an answer."
        case .noAction(let name, let offered) where offered.isEmpty: "There is no \(name) here."
        case .noAction(let name, let offered):
            "There is no \(name) here; there \(offered.count == 1 ? "is" : "are") \(offered.joined(separator: " and "))."
        case .choice(let value, let label): "\(label): type :choose \(value)."
        case .chooseOne(let names): "Choose one (\(names.joined(separator: ", "))): "
        case .timeEnded: "the time to answer has ended"

        case .yesOrNo: "Answer yes or no."
        case .noDate: "This is not a date, such as 2026-12-24."

        case .signInWithBrowser(let address): "Sign in with a browser: \(address)"
        case .browserWords(let words):
            "If the page asks for two words, type these words: \(words.joined(separator: " "))"
        case .deviceCode(let page, let code): "Open \(page) on any device, and type this code: \(code)"
        case .deviceCodeHere(let page, let code):
            "Open \(page) in a browser of this machine, and type this code: \(code)"
        case .browserGoesOn(let step): "The browser goes on: \(step)"
        case .openedBy(let user?, let uid): "Opened by \(user) (uid \(uid)). If you do not expect this, press Ctrl-C."
        case .openedBy(nil, let uid): "Opened by uid \(uid). If you do not expect this, press Ctrl-C."
        case .openedFrom(let address): "Opened from \(address). If you do not expect this, press Ctrl-C."
        case .openPrintedLink:
            "This address works once, within a minute, for one user of this machine. Open the link that the terminal shows."
        case .waitsForBrowser(let minutes): "Waiting for the browser, \(minutes) min at most. Ctrl-C ends it."

        case .cancelled: "cancelled"
        case .signedOut(let program): "You are signed out. Run `\(program) sign-in`."
        case .nobody: "nobody is signed in"
        case .nobodyHint(let program): "`\(program) sign-in`, or `\(program) sign-up` for a new account"
        case .proofMissing:
            "You are signed in, but this needs another proof of who you are, and there is no terminal to ask for it on."
        case .runInTerminal: "run it in a terminal"
        case .noTerminal(let questions): "there is no terminal to ask for \(questions) on"
        case .runInTerminalOrWith(let options): "run it in a terminal, or with \(options.joined(separator: " "))"
        case .noLine(let label): "standard input has no line for \(label)"
        case .unknownAnswer(let name): "--answer \(name): nothing of that name is asked for"
        case .asksFor(let names): "what is asked for is \(names.joined(separator: ", "))"
        case .secretName(let name): "\(name) (by --password-stdin)"
        case .nothingAskedForIt(let name): "warning: --answer \(name): nothing asked for it"
        case .retry(let seconds): "try again in \(seconds) s"
        case .signInBy(let command): "sign in by `\(command)`"
        case .accountsLists: "`accounts` lists them"
        case .clientsLists: "`tokenbroker client list`"
        case .doctor: "`tokenbroker doctor` looks for the cause"
        case .notRunning(let places):
            "tokenbrokerd is not running: nothing listens at \(places.joined(separator: " or "))"
        case .startIt:
            "start it by `tokenbrokerd` or `systemctl start tokenbroker.socket`; \(Self.doctor.english)"
        case .severalAccounts(let count): "there are \(count) accounts, and none was named"
        case .account(let option, let username): "\(option) is \(username)"
        case .signedOutMeanwhile: "the account was signed out meanwhile"
        case .noCommand(let command, nil): "there is no command `\(command)`"
        case .noCommand(let command, let nearest?): "there is no command `\(command)`; did you mean `\(nearest)`?"
        case .notInThisVersion(let command): "`\(command)` is not in this version"
        case .help(let command): "`\(command) --help` says what there is"
        case .noSecrets: "Secrets never go on the command line; use --password-stdin."
        case .longLine: "a line of standard input is too long"
        case .browserOrDevice: "--browser, --device, --localhost and --paste exclude each other"
        case .portOfLocalhost: "--port goes with --localhost, and is 1 to 65535"

        case .signedIn(let name): "Signed in as \(name)."
        case .signedUp(let name): "Signed up as \(name)."
        case .tokens(let count): count == 1 ? "1 token" : "\(count) tokens"
        case .sessions(let count): count == 1 ? "1 session" : "\(count) sessions"
        case .flows(let count): count == 1 ? "1 flow" : "\(count) flows"
        case .signedOutOf(let removed): "Signed out: removed \(removed.joined(separator: ", "))."
        case .left(let what): "Left, and tried again: \(what)"
        case .accountHeading: "ACCOUNT"
        case .usernameHeading: "USERNAME"
        case .nameHeading: "NAME"
        case .policiesHeading: "POLICIES"
        }
    }
}
