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
        case .timeEnded: "the time to answer has ended"

        case .unanswered: "This must be answered."
        case .noAddress: "This is not an e-mail address, such as ann@example.org."
        case .codeDigits(let count): "A code has \(count) digits."
        case .notWhole: "This is not a whole number."
        case .yesOrNo: "Answer yes or no."
        case .oneOf(let options): "This must be one of \(options.joined(separator: ", "))."
        case .noDate: "This is not a date, such as 2026-12-24."
        case .tooShort(let least): "At least \(least) characters are needed."
        case .tooLong(let most): "At most \(most) characters are possible."

        case .signInWithBrowser(let address): "Sign in with a browser: \(address)"
        case .browserWords(let words): "If the page asks, it must show these words: \(words.joined(separator: " "))"
        case .deviceCode(let page, let code): "Open \(page) on any device, and type this code: \(code)"
        case .browserGoesOn(let step): "The browser goes on: \(step)"
        case .waitsForBrowser(let minutes): "Waiting for the browser, \(minutes) min at most. Ctrl-C ends it."

        case .cancelled: "cancelled"
        case .signedOut(let program): "You are signed out. Run `\(program) sign-in`."
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
        case .doctor: "`tokenbroker doctor` looks for the cause"
        }
    }
}
