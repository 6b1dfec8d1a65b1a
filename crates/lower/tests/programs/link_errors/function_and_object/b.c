int thing = 1;
