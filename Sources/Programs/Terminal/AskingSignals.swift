import Glibc
import Synchronization

/// Records the signals that end, stop or continue the program until the terminal's modes are restored.
///
/// Only one prompt may be open at a time.
struct AskingSignals {
    /// The signals that end a program by default, in the order in which they take effect.
    private static let endings = [
        SIGQUIT, SIGHUP, SIGTERM, SIGINT, SIGALRM, SIGPIPE, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ,
        SIGPWR,
    ]

    private let before: [(number: Int32, action: sigaction)]

    /// Starts recording signals, except those that the program already handles or ignores.
    init() {
        before = (Self.endings + [SIGTSTP, SIGCONT]).compactMap { number in Self.replace(number).map { (number, $0) } }
    }

    /// Whether any signal that ends or stops the program has been recorded.
    var areNoted: Bool { noted.load(ordering: .relaxed) & ~Self.bit(SIGCONT) != 0 }

    static var endIsNoted: Bool {
        noted.load(ordering: .relaxed) & endings.reduce(0 as UInt64) { $0 | bit($1) } != 0
    }

    /// Whether the program was stopped and continued since the last read, which can change the terminal's modes.
    var wasContinued: Bool { Self.take(SIGCONT) }

    /// Ends or stops the program if a recorded signal requires it, and returns whether a signal to end it was sent.
    ///
    /// The program may continue briefly, because another thread may receive the signal.
    func obey() -> Bool {
        for number in Self.endings where Self.take(number) {
            restore()
            kill(getpid(), number)
            return true
        }
        // `raise` sends the signal to this thread, so this thread cannot change the terminal before the process stops.
        if Self.take(SIGTSTP) {
            raise(SIGSTOP)
            // The pause gives other threads time to record a signal that arrived while the program was stopped.
            usleep(50_000)
        }
        return false
    }

    func restore() {
        for (number, action) in before {
            var action = action
            sigaction(number, &action, nil)
        }
    }

    /// Starts recording a signal and returns its default action, or returns `nil` if the signal has another action.
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
