import Glibc
import Synchronization

/// Sets the modes of a terminal for a prompt, and restores them.
///
/// Unread input is discarded at the end of the prompt. Otherwise the shell would show it or run it as a command.
final class TerminalPrompt: Sendable {
    private let descriptor: Int32
    private let before: termios
    private let during: termios

    /// - Parameters:
    ///   - descriptor: The terminal.
    ///   - before: The terminal's current modes, which are restored later.
    ///   - during: The terminal's modes during the prompt.
    init(_ descriptor: Int32, before: termios, during: termios) {
        self.descriptor = descriptor
        self.before = before
        self.during = during
        _ = Self.restoresAtExit
    }

    /// Discards earlier input and sets the prompt's modes.
    ///
    /// A process in the background is stopped until it is continued in the foreground.
    func begin() {
        active.withLock { $0 = self }
        if isInForeground { set(during) }
    }

    /// Discards unread input and restores the previous modes.
    ///
    /// Further calls have no effect.
    func end() {
        let isActive = active.withLock { active in
            defer { if active === self { active = nil } }
            return active === self
        }
        if isActive, isInForeground { set(before) }
    }

    /// Whether the terminal still has the prompt's modes.
    ///
    /// A shell sets its own modes while the program is stopped.
    var isSet: Bool {
        var now = termios()
        return tcgetattr(descriptor, &now) == 0 && now.c_lflag == during.c_lflag && now.c_iflag == during.c_iflag
    }

    /// Whether this process can set the modes.
    ///
    /// In the background, trying to set them would stop the process.
    private var isInForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    private func set(_ modes: termios) {
        // This call makes the kernel process input that it has received, so that input is discarded too.
        var arrived = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&arrived, 1, 0)
        var modes = modes
        // In the background, this call stops the program. If a signal that ends the program arrives then, the call must
        // not be repeated, because it would stop the program again.
        while tcsetattr(descriptor, TCSAFLUSH, &modes) != 0, errno == EINTR, !AskingSignals.endIsNoted {}
    }

    /// Restores the terminal if the program exits during a prompt, for example after a second Ctrl-C.
    private static let restoresAtExit: Void = {
        atexit { active.withLock { $0 }?.end() }
    }()
}

/// The active prompt.
///
/// A process has one terminal, so it has at most one prompt.
private let active = Mutex<TerminalPrompt?>(nil)
