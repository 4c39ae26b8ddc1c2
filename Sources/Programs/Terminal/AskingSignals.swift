import Glibc
import Synchronization

/// The signals that end, stop or continue the program while it asks: noted when they come, obeyed once the terminal is as
/// it was before.
///
/// Only one question is asked at a time, since they share the terminal.
struct AskingSignals {
    /// The signals that end a program unless it handles them, in the order in which they are obeyed.
    private static let endings = [
        SIGQUIT, SIGHUP, SIGTERM, SIGINT, SIGALRM, SIGPIPE, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ,
        SIGPWR,
    ]

    private let before: [(number: Int32, action: sigaction)]

    /// Notes signals from now on; one that the program handles or ignores by itself stays as it is.
    init() {
        before = (Self.endings + [SIGTSTP, SIGCONT]).compactMap { number in Self.replace(number).map { (number, $0) } }
    }

    /// Whether a signal has come that ends or stops the program.
    var areNoted: Bool { noted.load(ordering: .relaxed) & ~Self.bit(SIGCONT) != 0 }

    /// Whether a signal has come that ends the program.
    static var endIsNoted: Bool {
        noted.load(ordering: .relaxed) & endings.reduce(0 as UInt64) { $0 | bit($1) } != 0
    }

    /// Whether the program was continued since this was read last; something else may have used the terminal meanwhile.
    var wasContinued: Bool { Self.take(SIGCONT) }

    /// Ends the program, or stops it until it is continued.
    ///
    /// - Returns: Whether the program ends; another thread may be the one that the signal ends first.
    func obey() -> Bool {
        for number in Self.endings where Self.take(number) {
            restore()
            kill(getpid(), number)
            return true
        }
        // To this thread: one sent to the process stops another thread first, and this one would go on and take the terminal.
        if Self.take(SIGTSTP) {
            raise(SIGSTOP)
            // Another thread may be about to note a signal that came during the stop.
            usleep(10_000)
        }
        return false
    }

    /// Restores the previous handlers.
    func restore() {
        for (number, action) in before {
            var action = action
            sigaction(number, &action, nil)
        }
    }

    /// Notes a signal from now on.
    ///
    /// - Returns: The previous action; `nil` if it is not the default one, and stays.
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

/// The signals that have come, a bit each.
private let noted = Atomic<UInt64>(0)
