public import HTTPTypes

extension HTTPFields {
    /// Returns the value of a field as the subscript does, without the work of joining what is one value anyway.
    public func value(_ name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count > 1 ? self[name] : values.first
    }
}
