import HTTPTypes

extension HTTPFields {
    /// The value of a field, as the subscript has it. The subscript makes a new string; this doesn't, unless the field
    /// occurs several times.
    func value(_ name: HTTPField.Name) -> String? {
        var value: String?
        for field in self where field.name == name {
            if value != nil { return self[name] }
            value = field.value
        }
        return value
    }
}
