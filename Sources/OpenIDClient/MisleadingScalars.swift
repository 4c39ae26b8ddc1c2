extension Unicode.Scalar {
    /// True for what has no place in a text of strangers that people read: controls, marks of direction and others that are
    /// not seen, separators of lines.
    public var isMisleading: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
