import CLinux

/// The machine's clock.
public enum SystemClock {
    /// True if something keeps the clock right, as far as the kernel was told.
    public static var isKept: Bool { clinux_clock_is_kept() != 0 }
}
