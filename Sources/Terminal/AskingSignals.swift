import Glibc
import Synchronization

/// The signals of Ctrl-Z and Ctrl-\ while a question is asked: noted when they come, obeyed once the terminal is as it was before.
///
/// Only one question is asked at a time, since they share the terminal.
struct AskingSignals {
    private let suspend: sigaction
    private let quit: sigaction

    /// Notes signals from now on; one that whoever started the program had ignored stays ignored.
    init() {
        suspend = Self.replace(SIGTSTP) { _ in isSuspendNoted.store(true, ordering: .relaxed) }
        quit = Self.replace(SIGQUIT) { _ in isQuitNoted.store(true, ordering: .relaxed) }
    }

    /// True if a signal has come.
    var areNoted: Bool { isSuspendNoted.load(ordering: .relaxed) || isQuitNoted.load(ordering: .relaxed) }

    /// Ends the program, or stops it until it is continued.
    func obey() {
        if isQuitNoted.exchange(false, ordering: .relaxed) {
            restore()
            kill(getpid(), SIGQUIT)
        }
        // To this thread: one sent to the process stops another thread first, and this one would go on and take the terminal.
        if isSuspendNoted.exchange(false, ordering: .relaxed) { raise(SIGSTOP) }
    }

    /// Leaves signals to whoever handled them before.
    func restore() {
        for (number, before) in [(SIGTSTP, suspend), (SIGQUIT, quit)] {
            var before = before
            sigaction(number, &before, nil)
        }
    }

    private static func replace(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) -> sigaction {
        var before = sigaction()
        sigaction(number, nil, &before)
        let ignoring = unsafeBitCast(SIG_IGN, to: Int.self)
        guard unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) != ignoring else { return before }
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        sigaction(number, &action, nil)
        return before
    }
}

private let isSuspendNoted = Atomic(false)
private let isQuitNoted = Atomic(false)
