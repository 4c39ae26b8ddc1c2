import Glibc
import Synchronization

/// The signals that end, stop or continue the program while a prompt is open.
///
/// The signals are recorded. They take effect after the terminal's modes are restored.
///
/// All prompts use the same terminal, so only one is open at a time.
struct AskingSignals {
    /// The signals that end a program by default, in the order in which they take effect.
    private static let endings = [
        SIGQUIT, SIGHUP, SIGTERM, SIGINT, SIGALRM, SIGPIPE, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ,
        SIGPWR,
    ]

    private let before: [(number: Int32, action: sigaction)]

    /// Starts recording signals.
    ///
    /// A signal that the program already handles or ignores is left unchanged.
    init() {
        before = (Self.endings + [SIGTSTP, SIGCONT]).compactMap { number in Self.replace(number).map { (number, $0) } }
    }

    /// Whether a recorded signal ends or stops the program.
    var areNoted: Bool { noted.load(ordering: .relaxed) & ~Self.bit(SIGCONT) != 0 }

    /// Whether a recorded signal ends the program.
    static var endIsNoted: Bool {
        noted.load(ordering: .relaxed) & endings.reduce(0 as UInt64) { $0 | bit($1) } != 0
    }

    /// Whether the program has been continued since the last read.
    ///
    /// Another program may have used the terminal in the meantime.
    var wasContinued: Bool { Self.take(SIGCONT) }

    /// Ends the program, or stops it until it is continued.
    ///
    /// - Returns: Whether a signal to end the program was sent. The program can continue for a moment, because another
    ///   thread can receive the signal first.
    func obey() -> Bool {
        for number in Self.endings where Self.take(number) {
            restore()
            kill(getpid(), number)
            return true
        }
        // The signal is sent to this thread. A signal to the process could stop another thread first, and this thread
        // would continue to change the terminal.
        if Self.take(SIGTSTP) {
            raise(SIGSTOP)
            // Waits briefly, because another thread may be about to record a signal that arrived while the program was
            // stopped.
            usleep(10_000)
        }
        return false
    }

    func restore() {
        for (number, action) in before {
            var action = action
            sigaction(number, &action, nil)
        }
    }

    /// Starts recording a signal.
    ///
    /// - Returns: The previous action, or `nil` if it is not the default action. In that case, the signal is left
    ///   unchanged.
    private static func replace(_ number: Int32) -> sigaction? {
        var before = sigaction()
        sigaction(number, nil, &before)
        let usual = unsafeBitCast(SIG_DFL, to: Int.self)
        guard unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == usual else { return nil }
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            noted.bitwiseOr(1 << UInt64(number), ordering: .relaxed)
        }
        sigaction(number, &action, nil)
        return before
    }

    private static func bit(_ number: Int32) -> UInt64 { 1 << UInt64(number) }

    private static func take(_ number: Int32) -> Bool {
        noted.bitwiseAnd(~bit(number), ordering: .relaxed).oldValue & bit(number) != 0
    }
}

/// The recorded signals, one bit per signal number.
private let noted = Atomic<UInt64>(0)
