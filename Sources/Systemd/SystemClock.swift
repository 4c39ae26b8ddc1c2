import CLinux

/// The machine's clock.
public enum SystemClock {
    /// Whether something keeps it right, as far as the kernel was told.
    public static var isKept: Bool { clinux_clock_is_kept() != 0 }
}
