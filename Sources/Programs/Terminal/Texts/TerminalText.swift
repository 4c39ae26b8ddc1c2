/// A sentence that both command lines say.
enum TerminalText: ScreenText, Hashable {
    // MARK: Questions

    /// Behind the label of what need not be answered.
    case optional
    /// Behind the label of what is true or false.
    case yesOrNoOptions
    /// The prompt for the second time that a new password is asked for.
    case again(label: String)
    case notTheSame
    case lastAttempt
    case attemptsLeft(Int)
    /// The advice for an action that can be typed instead of an answer.
    case action(String)
    /// A word with a colon that the step does not offer.
    case noAction(String, offered: [String])
    case choice(String, label: String)
    /// The prompt where nothing but one of these is asked for.
    case chooseOne([String])
    case timeEnded

    // MARK: Answers that cannot be taken

    case yesOrNo
    case noDate

    // MARK: Browsers

    case signInWithBrowser(address: String)
    case browserWords([String])
    case deviceCode(page: String, code: String)
    /// The same where only this machine reaches the page.
    case deviceCodeHere(page: String, code: String)
    case browserGoesOn(String)
    /// Another user opened the link; the name is nil if the system knows none.
    case openedBy(user: String?, uid: UInt32)
    case openedFrom(address: String)
    /// The answer of the port on loopback to a browser that it does not send on.
    case openPrintedLink
    case waitsForBrowser(minutes: Int64)

    // MARK: Failures

    case cancelled
    case signedOut(program: String)
    /// There is no account at all, and never was one.
    case nobody
    case nobodyHint(program: String)
    case proofMissing
    case runInTerminal
    case noTerminal(questions: String)
    case runInTerminalOrWith(options: [String])
    case noLine(label: String)
    case unknownAnswer(name: String)
    case asksFor(names: [String])
    /// A secret's name, which is answered by an option of its own.
    case secretName(String)
    case nothingAskedForIt(name: String)
    case retry(seconds: Int64)
    case signInBy(command: String)
    case accountsLists
    case clientsLists
    case doctor
    /// Nothing listens at any of the places.
    case notRunning(places: [String])
    case startIt
    case severalAccounts(Int)
    case account(option: String, username: String)
    case signedOutMeanwhile
    case noCommand(String, nearest: String?)
    case notInThisVersion(String)
    case help(command: String)
    case noSecrets
    case longLine
    case browserOrDevice
    case portOfLocalhost

    // MARK: Results

    case signedIn(String)
    case signedUp(String)
    case tokens(Int)
    case sessions(Int)
    case flows(Int)
    case signedOutOf(removed: [String])
    case left(String)
    case accountHeading
    case usernameHeading
    case nameHeading
    case policiesHeading

    /// The words for true, of every language.
    static let affirmations: Set<String> = ["yes", "y", "true", "ja", "j"]
    /// The words for false, of every language.
    static let negations: Set<String> = ["no", "n", "false", "nein"]
}
